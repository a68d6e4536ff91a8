//! `model`.
use crate::{cli, stop::Stop};
/// x
pub fn run(_: &cli::Model) -> Result<(), Stop> {
    Ok(())
}
