//! Points Tauri at the capabilities and permissions beside this file. A wrong pattern would give an application
//! whose windows may do nothing at all, or everything, without an error: a test looks at what came of it.

fn main() {
    for folder in ["src-tauri/capabilities", "src-tauri/permissions"] {
        println!("cargo:rerun-if-changed={folder}");
    }
    let permissions =
        tauri_build::AppManifest::new().permissions_path_pattern("src-tauri/permissions/**/*.toml");
    let attributes = tauri_build::Attributes::new()
        .capabilities_path_pattern("src-tauri/capabilities/**/*.json")
        .app_manifest(permissions);
    tauri_build::try_build(attributes).expect("the configuration, capabilities and permissions fit together");
}
