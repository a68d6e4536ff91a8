//! Names the dynamic library in itself: programs that link to it look for it by that name, wherever it was then.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let system = std::env::var("CARGO_CFG_TARGET_OS");
    if system.is_ok_and(|system| system == "linux") {
        println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libposeidon2_kernels_c.so");
    }
}
