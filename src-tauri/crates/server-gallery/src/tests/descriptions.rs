//! What becomes of the entries of a list: shown, left out and counted, or shown with the reason why they cannot be added.

use vestibule_app_protocol::{
    FillKind, GalleryPublisher, PackageFault, PackageKind, PlaceDraft, ServerDraft,
};

use super::*;
use crate::publisher;

fn arguments(draft: &ServerDraft) -> Vec<&str> {
    let PlaceDraft::Here(program) = &draft.place else {
        panic!("not a program")
    };
    let words = std::iter::once(&program.command).chain(&program.args);
    words.map(String::as_str).collect()
}

#[test]
fn an_entry_becomes_a_form_and_a_command_with_the_exact_version() {
    let server = described(json!([{
        "registryType": "npm", "identifier": "@ada/notes", "version": "1.2.0", "transport": {"type": "stdio"},
        "runtimeArguments": [{"type": "named", "name": "--silent"}],
        "packageArguments": [
            {"type": "named", "name": "--root", "format": "filepath", "isRequired": true, "description": "Folder"},
            {"type": "named", "name": "--level", "choices": ["info", "debug"], "default": "info"},
            {"type": "named", "name": "--verbose", "description": "Says more"},
            {"type": "positional", "valueHint": "the vault", "placeholder": "main"}],
        "environmentVariables": [
            {"name": "NOTES_KEY", "isRequired": true, "isSecret": true},
            {"name": "NOTES_REGION", "value": "{region}-1", "variables": {"region": {"choices": ["eu", "us"]}}}],
    }]));
    let page =
        read(&json!({"servers": [entry(server)], "metadata": {"nextCursor": "io.github.ada/notes:1.2.0"}}));
    assert_eq!(page.next.as_deref(), Some("io.github.ada/notes:1.2.0"));
    let parsed = &page.entries[0].servers.servers[0];
    assert!(parsed.chosen);
    let words = [
        "npx",
        "-y",
        "--silent",
        "@ada/notes@1.2.0",
        "--root",
        "${root}",
        "--level",
        "${level}",
        "--verbose",
        "${the_vault}",
    ];
    assert_eq!(arguments(&parsed.draft), words);
    let fill = |name: &str| parsed.fills.iter().find(|fill| fill.name == name).unwrap();
    assert!(fill("root").required && fill("root").kind == FillKind::Path);
    assert!(
        fill("level").optional && fill("level").choices == ["info", "debug"] && fill("level").value == "info"
    );
    assert_eq!(fill("verbose").kind, FillKind::Switch);
    assert_eq!(fill("the_vault").example.as_deref(), Some("main"));
    assert!(fill("NOTES_KEY").kind == FillKind::Secret && !fill("NOTES_KEY").optional);
    assert!(fill("region").optional);
    let optional: Vec<_> = parsed
        .optional
        .iter()
        .map(|words| (words.first, words.count, words.fills[0].as_str()))
        .collect();
    let expected = [
        (1, 1, "silent"),
        (5, 2, "level"),
        (7, 1, "verbose"),
        (8, 1, "the_vault"),
    ];
    assert_eq!(optional, expected);
}

#[test]
fn the_flags_of_an_image_go_with_the_variables_that_they_pass() {
    let server = described(json!([{
        "registryType": "oci", "identifier": "ghcr.io/ada/notes:1.2.0",
        "environmentVariables": [{"name": "KEY", "isRequired": true}, {"name": "MODE"}],
    }]));
    let page = read(&json!({"servers": [entry(server)]}));
    let parsed = &page.entries[0].servers.servers[0];
    let words = [
        "docker",
        "run",
        "-i",
        "--rm",
        "-e",
        "KEY",
        "-e",
        "MODE",
        "ghcr.io/ada/notes:1.2.0",
    ];
    assert_eq!(arguments(&parsed.draft), words);
    let [mode] = &parsed.optional[..] else {
        panic!("{:?}", parsed.optional)
    };
    assert_eq!(
        (mode.first, mode.count, &mode.fills[..]),
        (5, 2, &["MODE".to_owned()][..])
    );
}

#[test]
fn an_address_keeps_its_headers_and_asks_for_its_variables() {
    let server = json!({"name": "com.example/desk", "version": "1", "remotes": [{
        "type": "streamable-http", "url": "https://{tenant}.example.com/mcp", "variables": {"tenant": {}},
        "headers": [{"name": "Authorization", "value": "Bearer {token}", "isRequired": true,
            "variables": {"token": {"isSecret": true}}}, {"name": "X-Team"}]}]});
    let page = read(&json!({"servers": [entry(server)]}));
    let parsed = &page.entries[0].servers.servers[0];
    let PlaceDraft::Address(endpoint) = &parsed.draft.place else {
        panic!("not an address")
    };
    assert_eq!(endpoint.url, "https://${tenant}.example.com/mcp");
    assert_eq!(endpoint.headers[0].value, "Bearer ${token}");
    let facts: Vec<_> = parsed
        .fills
        .iter()
        .map(|fill| (fill.name.as_str(), fill.required, fill.optional))
        .collect();
    assert_eq!(
        facts,
        [
            ("tenant", true, false),
            ("token", false, false),
            ("X-Team", false, true)
        ]
    );
}

#[test]
fn deleted_older_repeated_and_broken_entries_are_counted_and_not_shown() {
    let official = "io.modelcontextprotocol.registry/official";
    let with = |server: Value, about: Value| json!({"server": server, "_meta": {official: about}});
    let server = described(json!([]));
    let answer = json!({"servers": [
        with(server.clone(), json!({"status": "deleted", "isLatest": true})),
        with(server.clone(), json!({"status": "active", "isLatest": false})),
        with(server.clone(), json!({"status": "deprecated", "statusMessage": "Use the other one", "isLatest": true})),
        entry(server),
        json!({"server": {"name": "no version", "version": "1"}}),
        json!({"server": {"name": "a/b", "version": 3}}),
        json!({"server": {"name": "a/b", "version": "1", "description": "x".repeat(200_000)}}),
        json!("text"), json!(null), json!([[]]),
    ]});
    let page = read(&answer);
    let [kept] = &page.entries[..] else {
        panic!("{:?}", page.entries)
    };
    assert!(kept.deprecated);
    assert_eq!(kept.status_message.as_deref(), Some("Use the other one"));
    assert!(kept.servers.servers.is_empty() && kept.servers.skipped.is_empty());
    let counts = (
        page.left_out.deleted,
        page.left_out.repeated,
        page.left_out.unreadable,
    );
    assert_eq!(counts, (1, 2, 6));
}

/// Anyone may publish a description, so a short one must not stand for a long text.
#[test]
fn an_entry_whose_variables_multiply_is_skipped_with_the_reason() {
    let page = read(&json!({"servers": [entry(described(json!([{
        "registryType": "npm", "identifier": "notes", "version": "1.2.0",
        "packageArguments": [{
            "type": "positional", "value": "{a}".repeat(2000),
            "variables": {"a": {"value": "{b}".repeat(100), "variables": {"b": {"value": "x".repeat(1000)}}}},
        }],
    }])))]}));
    let parsed = &page.entries[0].servers;
    assert!(parsed.servers.is_empty());
    let reason = parsed.skipped[0].problem.to_string();
    assert!(reason.contains("too long with the variables in it"), "{reason}");
}

#[test]
fn a_package_that_is_not_one_exact_release_is_not_added() {
    let fault = |package: Value| match skipped(package) {
        Problem::Gallery(GalleryProblem::PackageUnfit { fault, .. }) => fault,
        other => panic!("{other}"),
    };
    let npm =
        |name: &str, version: &str| json!({"registryType": "npm", "identifier": name, "version": version});
    for version in [
        "",
        "latest",
        "^1.2.3",
        "~1.2.3",
        "1.2",
        "1.x.0",
        "1.2.x",
        "*",
        ">=1.0.0",
        "1.0.0 || 2.0.0",
        // Tags, to npm.
        "1.2.3.4",
        "1a.2.3",
    ] {
        assert_eq!(fault(npm("notes", version)), PackageFault::Version, "{version}");
    }
    for name in [
        "",
        "-y",
        "--registry=https://evil.example",
        "a b",
        "@a",
        "../x",
        "git+ssh://x",
        "a\u{200b}b",
    ] {
        assert_eq!(fault(npm(name, "1.0.0")), PackageFault::Name, "{name}");
    }
    let image = |name: &str| json!({"registryType": "oci", "identifier": name});
    for name in [
        "ghcr.io/a/b",
        "ghcr.io/a/b:latest",
        "ghcr.io/a/b@sha256:00",
        "localhost:5000/a",
    ] {
        assert_eq!(fault(image(name)), PackageFault::Version, "{name}");
    }
    assert_eq!(fault(image("--privileged")), PackageFault::Name);
    let address = "https://example.com/notes-mcp.mcpb";
    let bundle = |address: &str, hash: &str| json!({"registryType": "mcpb", "identifier": address, "fileSha256": hash});
    assert_eq!(fault(bundle(address, "00")), PackageFault::Digest);
    assert_eq!(fault(bundle(address, &"g".repeat(64))), PackageFault::Digest);
    for address in ["notes.mcpb", "file:///etc/passwd", "javascript:x"] {
        assert_eq!(
            fault(bundle(address, &"a".repeat(64))),
            PackageFault::Bundle,
            "{address}"
        );
    }
    let unknown = skipped(json!({"registryType": "cargo", "identifier": "notes", "version": "1.0.0"}));
    assert!(unknown.to_string().contains("cargo"), "{unknown}");
}

#[test]
fn where_the_first_package_cannot_be_added_the_next_one_is_proposed() {
    let server = json!({"name": "com.example/notes", "version": "1.0.0",
        "packages": [{"registryType": "npm", "identifier": "notes", "version": "latest"}],
        "remotes": [{"type": "sse", "url": "https://notes.example.com/sse"}]});
    let page = read(&json!({"servers": [entry(server)]}));
    let entry = &page.entries[0];
    assert!(entry.servers.servers[0].chosen);
    let kinds: Vec<_> = entry.packages.iter().map(|package| package.kind).collect();
    assert_eq!(kinds, [PackageKind::Npm, PackageKind::Remote]);
}

#[test]
fn the_name_says_who_could_publish_under_it() {
    let github = |account: &str| GalleryPublisher::GithubAccount {
        account: account.into(),
    };
    let domain = |domain: &str| GalleryPublisher::Domain {
        domain: domain.into(),
    };
    for (name, publisher) in [
        ("io.github.ada/notes", github("ada")),
        ("io.github.ada.pages/notes", domain("pages.ada.github.io")),
        ("com.example/notes", domain("example.com")),
        ("com.example.mcp/notes", domain("mcp.example.com")),
        ("notes/notes", GalleryPublisher::Unknown),
        ("com..example/notes", GalleryPublisher::Unknown),
    ] {
        assert_eq!(publisher::of(name), publisher, "{name}");
    }
}

#[test]
fn texts_of_any_length_and_with_hidden_characters_are_bounded_and_kept() {
    let server = json!({"name": "com.example/notes", "version": "1", "title": "t".repeat(5000),
        "description": format!("a\u{202e}b{}", "d".repeat(5000)), "websiteUrl": 7, "repository": ["x"],
        "packages": "none", "remotes": [{"type": {}, "url": 3, "headers": "x"}]});
    let page = read(&json!({"servers": [entry(server)]}));
    let entry = &page.entries[0];
    assert_eq!(entry.title.as_ref().unwrap().chars().count(), 121);
    assert!(entry.description.starts_with("a\u{202e}b") && entry.description.chars().count() == 601);
    assert_eq!((&entry.website, &entry.repository), (&None, &None));
    assert_eq!((entry.servers.servers.len(), entry.servers.skipped.len()), (0, 1));
}
