//! The wording of every error.
