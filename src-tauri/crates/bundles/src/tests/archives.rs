//! Archives made in the test, as the reference packer makes them.

use std::fs::File;
use std::io::{Cursor, Write};
use std::path::Path;

use serde_json::{Value, json};
use vestibule_app_protocol::{BundleFault, BundleKind};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::{Bundle, BundleLimits, BundlePlace};

/// A manifest with this `server`, and these members beside it.
pub(super) fn manifest(server: Value, others: Value) -> Value {
    let mut manifest = json!({
        "manifest_version": "0.3",
        "name": "notes",
        "version": "1.2.0",
        "description": "Keeps notes",
        "author": { "name": "Ada" },
        "server": server,
    });
    for (member, value) in others.as_object().unwrap() {
        manifest[member] = value.clone();
    }
    manifest
}

/// A server that Node.js runs.
pub(super) fn node() -> Value {
    json!({
        "type": "node",
        "entry_point": "server/index.js",
        "mcp_config": { "command": "node", "args": ["${__dirname}/server/index.js"] },
    })
}

pub(super) fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .unix_permissions(0o644)
}

/// An archive with a manifest and more that `fill` writes.
pub(super) fn packed(manifest: &Value, fill: impl FnOnce(&mut ZipWriter<Cursor<Vec<u8>>>)) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(vec![]));
    zip.start_file("manifest.json", options()).unwrap();
    zip.write_all(manifest.to_string().as_bytes()).unwrap();
    fill(&mut zip);
    zip.finish().unwrap().into_inner()
}

pub(super) fn add(zip: &mut ZipWriter<Cursor<Vec<u8>>>, name: &str, content: &[u8]) {
    zip.start_file(name, options()).unwrap();
    zip.write_all(content).unwrap();
}

/// A whole bundle with a server of Node.js.
pub(super) fn whole() -> Vec<u8> {
    packed(&manifest(node(), json!({})), |zip| {
        zip.add_directory("server/", options()).unwrap();
        add(zip, "server/index.js", b"console.log(1)");
        zip.start_file("server/tool", options().unix_permissions(0o4755))
            .unwrap();
        zip.write_all(b"#!/bin/sh\n").unwrap();
    })
}

pub(super) fn file(bytes: &[u8]) -> File {
    let mut file = tempfile::tempfile().unwrap();
    file.write_all(bytes).unwrap();
    file
}

pub(super) fn read(bytes: &[u8]) -> Result<Bundle, BundleFault> {
    Bundle::read(&mut file(bytes), "linux", &BundleLimits::default())
}

pub(super) fn place(folder: &Path) -> BundlePlace {
    BundlePlace {
        folder: folder.join("bundle"),
        working_folder: folder.join("work"),
        home: folder.join("home"),
    }
}

/// With the signature that the reference packer appends.
fn signed(mut bytes: Vec<u8>, signature: &[u8]) -> Vec<u8> {
    bytes.extend_from_slice(b"MCPB_SIG_V1");
    bytes.extend_from_slice(&u32::try_from(signature.len()).unwrap().to_le_bytes());
    bytes.extend_from_slice(signature);
    bytes.extend_from_slice(b"MCPB_SIG_END");
    bytes
}

#[test]
fn a_bundle_says_what_it_is_before_it_is_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let view = read(&whole()).unwrap().view("notes.mcpb", &place(folder.path()));
    assert_eq!((view.files, view.has_signature), (3, false));
    assert_eq!(view.manifest.kind, BundleKind::Node);
    assert_eq!(view.manifest.title, "notes");
    assert_eq!(view.manifest.author, "Ada");
    assert_eq!(view.sha256.len(), 64);
    let script = format!("{}/bundle/server/index.js", folder.path().display());
    assert_eq!(
        (view.launch.command.as_str(), view.launch.args),
        ("node", vec![script])
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        0,
        "nothing was written"
    );
}

#[test]
fn what_is_unpacked_is_read_only_and_runs_only_where_the_archive_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let bytes = whole();
    let to = folder.path().join("bundle");
    let bundle = read(&bytes).unwrap();
    bundle
        .unpack(&mut file(&bytes), &to, &BundleLimits::default())
        .unwrap();
    assert_eq!(
        std::fs::read(to.join("server/index.js")).unwrap(),
        b"console.log(1)"
    );
    let mode = |path: &str| to.join(path).metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("server/index.js"), mode("server/tool")), (0o400, 0o500));
}

#[test]
fn another_archive_than_the_one_that_was_shown_is_not_unpacked() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("bundle");
    let other = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"evil()")
    });
    let bundle = read(&whole()).unwrap();
    let unpacked = bundle.unpack(&mut file(&other), &to, &BundleLimits::default());
    assert!(
        matches!(
            unpacked,
            Err(crate::UnpackError::Refused(BundleFault::Digest { .. }))
        ),
        "{unpacked:?}"
    );
    assert!(!to.exists());
}

/// Behind a comment of length 0, or counted in a comment, as some publishers write it.
#[test]
fn a_signed_bundle_is_read_and_called_unchecked() {
    let plain = whole();
    assert!(
        read(&signed(plain.clone(), b"MCPB_SIG_V1 inside"))
            .unwrap()
            .has_signature
    );
    let mut padded = plain.clone();
    let length = u16::try_from(signed(vec![], b"der").len()).unwrap();
    let at = padded.len() - 2;
    padded[at..].copy_from_slice(&length.to_le_bytes());
    assert!(read(&signed(padded, b"der")).unwrap().has_signature);
    let mut cut = signed(plain, b"der");
    cut.pop();
    assert_eq!(read(&cut).unwrap_err(), BundleFault::NotAnArchive);
}

#[test]
fn every_version_of_the_manifest_is_read_and_no_other() {
    for version in ["0.1", "0.2", "0.3", "0.4"] {
        let newer = manifest(node(), json!({ "manifest_version": version }));
        let mut older = newer.clone();
        older.as_object_mut().unwrap().remove("manifest_version");
        older["dxt_version"] = version.into();
        for manifest in [newer, older] {
            read(&packed(&manifest, |zip| add(zip, "server/index.js", b""))).unwrap();
        }
    }
    let other = manifest(node(), json!({ "manifest_version": "0.5" }));
    let found = "0.5".to_owned();
    assert_eq!(
        read(&packed(&other, |_| {})).unwrap_err(),
        BundleFault::ManifestVersion { found }
    );
}
