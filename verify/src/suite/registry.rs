//! The kernels that this program was compiled with, whatever their words.

use poseidon2_generated::Kernel;

use super::word::Word;

/// What is done with each kernel.
pub trait Visitor {
    /// Does it.
    fn visit<T: Word>(&mut self, kernel: &'static Kernel<T>);
}

macro_rules! registries {
    ($($field:ident {
        field: ($family:ident $name:literal $p:literal $prime:literal $kernels:ident $tables:ident),
        $($rest:tt)*
    })+) => {
        /// Goes through all kernels, in the order of the registry.
        pub fn visit(visitor: &mut impl Visitor) {
            $(poseidon2_generated::$kernels.iter().for_each(|kernel| visitor.visit(kernel));)+
        }
    };
}

poseidon2_generated::each_field!(registries);
