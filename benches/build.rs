//! Cuts the generated kernels of this build's instruction set into their phases, so that they can
//! be timed apart: the same text, with only the rounds of the phase left in its loops.

#[cfg(feature = "phases")]
#[path = "build/cut.rs"]
mod cut;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    // What measuring processes are built for.
    let target = std::env::var("TARGET").unwrap_or_default();
    println!("cargo::rustc-env=BUILD_TARGET={target}");
    #[cfg(feature = "phases")]
    cut::main();
}
