//! Archives that were made to write elsewhere, to fill the disk, or to be read in two ways.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};

use proptest::prelude::*;
use serde_json::{Value, json};
use vestibule_app_protocol::BundleFault;
use zip::write::SimpleFileOptions;

use super::archives::{add, file, manifest, node, options, packed, read, whole};
use crate::{Bundle, BundleLimits};

/// The fault of a whole bundle with one more entry.
fn with_entry(name: &str) -> Result<Bundle, BundleFault> {
    read(&packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        add(zip, name, b"x");
    }))
}

#[test]
fn no_path_leads_out_of_the_archive() {
    for name in [
        "../evil",
        "server/../../evil",
        "/etc/passwd",
        "a//b",
        "./a",
        "a\\..\\b",
        "C:evil",
        "a\u{202e}b",
        "a\u{200b}b",
        "a\nb",
    ] {
        let fault = with_entry(name).unwrap_err();
        assert!(matches!(fault, BundleFault::Path { .. }), "{name}: {fault:?}");
    }
    let deep = vec!["a"; 41].join("/");
    assert!(matches!(with_entry(&deep), Err(BundleFault::Path { .. })));
    assert!(with_entry("a b/ü.js").is_ok());
}

#[test]
fn no_entry_has_the_place_of_another() {
    for name in ["Server/INDEX.js", "server/index.js/x", "server", "MANIFEST.json"] {
        let fault = with_entry(name).unwrap_err();
        assert!(matches!(fault, BundleFault::Twice { .. }), "{name}: {fault:?}");
    }
    let forms = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        add(zip, "\u{e9}", b"");
        add(zip, "e\u{301}", b"");
    });
    assert!(matches!(read(&forms), Err(BundleFault::Twice { .. })));
    let same = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        add(zip, "server/index.jt", b"");
    });
    let same = replaced(same, b"index.jt", b"index.js");
    assert!(matches!(read(&same), Err(BundleFault::Damaged { .. })));
}

#[test]
fn only_plain_files_and_folders_are_taken() {
    let link = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        zip.add_symlink("server/link", "/etc/passwd", options()).unwrap();
    });
    assert!(matches!(read(&link), Err(BundleFault::Kind { .. })));
    // The upper 16 bits of the external attributes say that it is a device.
    let device = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"")
    });
    let device = with_mode(device, 0o060_644);
    assert!(matches!(read(&device), Err(BundleFault::Kind { .. })));
}

#[test]
fn encrypted_entries_are_refused() {
    let mut bytes = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"")
    });
    for signature in [&b"PK\x03\x04"[..], b"PK\x01\x02"] {
        let flags = if signature == b"PK\x03\x04" { 6 } else { 8 };
        for at in positions(&bytes, signature) {
            bytes[at + flags] |= 1;
        }
    }
    assert!(matches!(read(&bytes), Err(BundleFault::Encrypted { .. })));
}

/// Ten megabytes of zeros are about ten kilobytes in the archive.
#[test]
fn an_archive_that_grows_a_thousandfold_is_refused() {
    let bomb = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        add(zip, "zeros", &vec![0; 10 * 1024 * 1024]);
    });
    assert!(bomb.len() < 20 * 1024);
    assert_eq!(read(&bomb).unwrap_err(), BundleFault::Inflates { ratio: 200 });
}

#[test]
fn a_file_of_a_gigabyte_is_refused_without_being_read_whole() {
    let mut large: File = file(&whole());
    large.seek(SeekFrom::Start(1024 * 1024 * 1024)).unwrap();
    large.write_all(b"x").unwrap();
    let fault = Bundle::read(&mut large, "linux", &BundleLimits::default()).unwrap_err();
    assert_eq!(fault, BundleFault::TooLarge { limit_mb: 256 });
}

#[test]
fn the_limits_hold_whatever_the_archive_declares() {
    let bytes = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        zip.start_file("noise", SimpleFileOptions::default()).unwrap();
        zip.write_all(&[7; 4096]).unwrap();
    });
    let read = |limits: BundleLimits| Bundle::read(&mut file(&bytes), "linux", &limits).unwrap_err();
    let usual = BundleLimits::default();
    let small = BundleLimits {
        unpacked: 1024,
        small: 1024,
        ..usual
    };
    assert!(matches!(read(small), BundleFault::Expands { .. }));
    let few = BundleLimits { entries: 2, ..usual };
    assert_eq!(read(few), BundleFault::TooMany { limit: 2 });
    let short = BundleLimits {
        manifest: 16,
        ..usual
    };
    assert!(matches!(read(short), BundleFault::ManifestUnreadable { .. }));
}

#[test]
fn folders_that_only_a_path_names_count_as_well() {
    let deep = |name: &str| format!("{}/x", vec![name; 20].join("/"));
    let bytes = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        add(zip, &deep("a"), b"");
        add(zip, &deep("b"), b"");
    });
    let read = |entries| {
        let limits = BundleLimits {
            entries,
            ..BundleLimits::default()
        };
        Bundle::read(&mut file(&bytes), "linux", &limits)
    };
    assert_eq!(read(10).unwrap_err(), BundleFault::TooMany { limit: 10 });
    // Four files, the folder of one and the twenty of each of two others.
    assert_eq!(read(44).unwrap_err(), BundleFault::TooMany { limit: 44 });
    assert!(read(45).is_ok());
}

/// As large as a server with a browser and its tools in `node_modules`.
#[test]
fn a_large_bundle_with_many_folders_is_read() {
    let bytes = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        for package in 0..1500 {
            for name in [
                "package.json",
                "README.md",
                "dist/cjs/index.js",
                "dist/esm/index.js",
                "src/lib/index.ts",
            ] {
                let path = format!("server/node_modules/@scope/a-package-with-a-name-{package}/{name}");
                add(zip, &path, b"");
            }
        }
    });
    assert!(read(&bytes).is_ok());
}

#[test]
fn an_archive_with_other_bytes_than_it_says_is_refused() {
    let bytes = packed(&manifest(node(), json!({})), |zip| {
        add(zip, "server/index.js", b"");
        zip.start_file(
            "noise",
            options().compression_method(zip::CompressionMethod::Stored),
        )
        .unwrap();
        zip.write_all(b"these bytes are compared").unwrap();
    });
    let other = replaced(bytes.clone(), b"bytes are compared", b"bytes are exchanged");
    assert!(matches!(
        read(&other[..bytes.len()]),
        Err(BundleFault::Damaged { .. })
    ));
    // A prefix moves every offset, and could hold another archive.
    let mut behind = b"#!/bin/sh\n".to_vec();
    behind.extend_from_slice(&bytes);
    assert!(matches!(read(&behind), Err(BundleFault::Damaged { .. })));
    let mut longer = bytes.clone();
    longer.push(b'x');
    assert_eq!(read(&longer).unwrap_err(), BundleFault::NotAnArchive);
    assert_eq!(read(b"").unwrap_err(), BundleFault::NotAnArchive);
    assert_eq!(read(b"{}").unwrap_err(), BundleFault::NotAnArchive);
}

#[test]
fn a_manifest_of_the_wrong_form_is_refused_by_the_name_of_its_member() {
    let refused = |manifest: &Value| match read(&packed(manifest, |zip| add(zip, "server/index.js", b""))) {
        Err(BundleFault::Manifest { member }) => member,
        other => panic!("{other:?}"),
    };
    let with = |others: Value| refused(&manifest(node(), others));
    for member in [
        "name",
        "version",
        "description",
        "author",
        "display_name",
        "tools",
        "user_config",
    ] {
        assert_eq!(with(json!({ member: 7 })), member);
    }
    assert_eq!(with(json!({ "author": {} })), "author.name");
    assert_eq!(with(json!({ "manifest_version": 0.3 })), "manifest_version");
    assert_eq!(
        with(json!({ "compatibility": { "platforms": "linux" } })),
        "compatibility.platforms"
    );
    assert_eq!(
        with(json!({ "user_config": { "key": { "type": "text", "title": "Key" } } })),
        "user_config.key"
    );
    let server = |server: Value| refused(&manifest(server, json!({})));
    assert_eq!(server(json!({ "type": "ruby" })), "server.type");
    assert_eq!(server(json!({ "type": "node" })), "server.mcp_config.command");
    let config = |config: Value| server(json!({ "type": "node", "mcp_config": config }));
    assert_eq!(
        config(json!({ "command": "node", "args": "x" })),
        "server.mcp_config.args"
    );
    assert_eq!(
        config(json!({ "command": "node", "args": [1] })),
        "server.mcp_config.args"
    );
    assert_eq!(
        config(json!({ "command": "node", "env": { "A=B": "x" } })),
        "server.mcp_config.env"
    );
    let broken = packed(&Value::Null, |_| {});
    assert_eq!(
        read(&broken).unwrap_err(),
        BundleFault::Manifest {
            member: "manifest_version".to_owned()
        }
    );
}

#[test]
fn a_bundle_without_its_manifest_or_its_program_is_refused() {
    let none = packed(&manifest(node(), json!({})), |_| {});
    let path = "server/index.js".to_owned();
    assert_eq!(read(&none).unwrap_err(), BundleFault::EntryPoint { path });
    let other = replaced(whole(), b"manifest.json", b"manifest.jsom");
    assert_eq!(read(&other).unwrap_err(), BundleFault::NoManifest);
}

proptest! {
    /// Whatever is changed in an archive, reading it ends with a bundle or a fault, and writes nothing.
    #[test]
    fn any_change_of_an_archive_ends_in_words(at in 0usize..2000, byte: u8, cut in 0usize..3000) {
        let mut bytes = whole();
        let length = bytes.len();
        bytes[at % length] = byte;
        let _ = read(&bytes);
        let _ = read(&bytes[..cut.min(length)]);
    }

    #[test]
    fn bytes_of_any_kind_end_in_words(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
        let _ = read(&bytes);
    }
}

/// Every place where these bytes stand.
fn positions(bytes: &[u8], wanted: &[u8]) -> Vec<usize> {
    let starts = bytes.windows(wanted.len()).enumerate();
    let found = starts.filter(|(_, part)| *part == wanted);
    found.map(|(at, _)| at).collect()
}

/// With bytes of the same length exchanged wherever they stand.
fn replaced(mut bytes: Vec<u8>, wanted: &[u8], other: &[u8]) -> Vec<u8> {
    for at in positions(&bytes, wanted) {
        bytes[at..at + wanted.len()].copy_from_slice(&other[..wanted.len()]);
    }
    bytes
}

/// With another Unix mode for every entry.
fn with_mode(mut bytes: Vec<u8>, mode: u32) -> Vec<u8> {
    for at in positions(&bytes, b"PK\x01\x02") {
        bytes[at + 38..at + 42].copy_from_slice(&(mode << 16).to_le_bytes());
    }
    bytes
}
