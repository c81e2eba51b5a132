//! Links the servers of the tests without symbols. A start hashes the program that it starts, twice.

fn main() {
    println!("cargo::rerun-if-changed=programs/build.rs");
    if std::env::var_os("CARGO_CFG_TARGET_OS").is_some_and(|system| system == "linux") {
        println!("cargo::rustc-link-arg-bin=vestibule-server=-Wl,--strip-all");
    }
}
