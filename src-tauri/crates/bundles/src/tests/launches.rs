//! What a manifest starts, in the forms of its four types.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde_json::{Value, json};
use vestibule_app_protocol::{BundleDraft, EnvPair};

use super::archives::{add, manifest, packed, place, read};
use crate::{Bundle, BundleProgram};

fn bundle(server: Value, others: Value) -> Bundle {
    let bytes = packed(&manifest(server, others), |zip| {
        add(zip, "server/main", b"");
        add(zip, "server/main.py", b"");
    });
    read(&bytes).unwrap()
}

fn started(bundle: &Bundle, values: &[(&str, &[&str])]) -> BundleProgram {
    let values = values.iter().map(|(key, list)| {
        let list = list.iter().map(ToString::to_string).collect();
        ((*key).to_owned(), list)
    });
    let draft = BundleDraft {
        values: values.collect::<BTreeMap<_, _>>(),
        ..BundleDraft::default()
    };
    bundle.program(&draft, &place(Path::new("/data"))).unwrap()
}

fn env(program: &BundleProgram) -> Vec<(&str, &str, bool)> {
    let pairs = program.env.iter();
    pairs
        .map(|pair: &EnvPair| (pair.name.as_str(), pair.value.as_str(), pair.pasted))
        .collect()
}

#[test]
fn what_this_system_replaces_is_replaced_whole() {
    let config = json!({
        "command": "server/main.exe",
        "args": ["--all"],
        "env": { "A": "1" },
        "platform_overrides": { "linux": { "command": "server/main", "env": { "B": "2" } } },
    });
    let server = json!({ "type": "binary", "entry_point": "server/main", "mcp_config": config });
    let program = started(&bundle(server, json!({})), &[]);
    assert_eq!(program.command, "/data/bundle/server/main");
    assert_eq!(program.args, ["--all"]);
    assert_eq!(env(&program), [("B", "2", true)]);
}

#[test]
fn python_writes_nothing_into_the_bundle() {
    let config = json!({
        "command": "python",
        "args": ["${__dirname}/server/main.py"],
        "env": { "PYTHONPATH": "${__dirname}/server/lib" },
    });
    let server = json!({ "type": "python", "entry_point": "server/main.py", "mcp_config": config });
    let program = started(&bundle(server, json!({})), &[]);
    assert_eq!(
        env(&program),
        [
            ("PYTHONPATH", "/data/bundle/server/lib", true),
            ("PYTHONDONTWRITEBYTECODE", "1", true)
        ]
    );
}

#[test]
fn uv_runs_a_project_that_does_not_say_how() {
    let server = json!({ "type": "uv", "entry_point": "server/main.py" });
    let program = started(&bundle(server, json!({})), &[]);
    assert_eq!(program.command, "uv");
    assert_eq!(
        program.args,
        ["run", "--directory", "/data/bundle", "server/main.py"]
    );
    assert!(env(&program).contains(&("UV_PROJECT_ENVIRONMENT", "/data/work/.venv", true)));
}

#[test]
fn uv_leaves_the_lock_file_of_a_bundle_as_it_is() {
    let is_frozen = |path: &str, server: Value| {
        let bytes = packed(&manifest(server, json!({})), |zip| {
            add(zip, "server/main.py", b"");
            add(zip, path, b"version = 1");
        });
        let program = started(&read(&bytes).unwrap(), &[]);
        env(&program).contains(&("UV_FROZEN", "1", true))
    };
    let uv = |args: &[&str], env: Value| {
        let config = json!({ "command": "uv", "args": args, "env": env });
        json!({ "type": "uv", "entry_point": "server/main.py", "mcp_config": config })
    };
    let run = ["run", "--directory", "${__dirname}", "server/main.py"];
    assert!(is_frozen("uv.lock", uv(&run, json!({}))));
    assert!(is_frozen(
        "uv.lock",
        json!({ "type": "uv", "entry_point": "server/main.py" })
    ));
    assert!(
        !is_frozen("server/uv.lock", uv(&run, json!({}))),
        "uv refuses to run without one"
    );
    for flag in ["--locked", "--frozen", "--no-sync"] {
        assert!(
            !is_frozen("uv.lock", uv(&["run", flag, "server/main.py"], json!({}))),
            "older versions of uv refuse both together: {flag}"
        );
    }
    for name in ["UV_LOCKED", "UV_NO_SYNC", "UV_FROZEN"] {
        assert!(!is_frozen("uv.lock", uv(&run, json!({ name: "true" }))), "{name}");
    }
    let python = json!({ "command": "python", "args": ["server/main.py"] });
    let python = json!({ "type": "python", "entry_point": "server/main.py", "mcp_config": python });
    assert!(!is_frozen("uv.lock", python));
}

#[test]
fn values_are_put_in_once_and_never_read_for_variables() {
    let config = json!({
        "command": "python",
        "args": ["${__dirname}/server/main.py", "${user_config.all}", "--limit=${user_config.limit}", "${unknown}"],
        "env": { "KEY": "${user_config.key}", "NOTE": "${user_config.note}" },
    });
    let server = json!({ "type": "python", "entry_point": "server/main.py", "mcp_config": config });
    let settings = json!({ "user_config": {
        "all": { "type": "string", "title": "All", "multiple": true },
        "limit": { "type": "number", "title": "Limit", "default": 5 },
        "key": { "type": "string", "title": "Key", "sensitive": true, "required": true },
        "note": { "type": "string", "title": "Note" },
    }});
    let bundle = bundle(server, settings);
    let program = started(
        &bundle,
        &[("all", &["a b", "${HOME}"]), ("key", &["$& ${__dirname}"])],
    );
    assert_eq!(
        program.args,
        [
            "/data/bundle/server/main.py",
            "a b",
            "${HOME}",
            "--limit=5",
            "${unknown}"
        ]
    );
    assert_eq!(
        env(&program),
        [
            ("KEY", "$& ${__dirname}", false),
            ("PYTHONDONTWRITEBYTECODE", "1", true)
        ],
        "a variable without a value is left out"
    );
    let program = started(&bundle, &[("key", &["k"])]);
    assert_eq!(
        program.args[1], "--limit=5",
        "an argument without a value is left out"
    );
    let view = bundle.view("notes.mcpb", &place(Path::new("/data")));
    assert_eq!(view.launch.args[1], "${user_config.all}");
    let asked = |key: &str| view.settings.iter().find(|setting| setting.key == key).unwrap();
    assert!(asked("limit").on_command_line && !asked("key").on_command_line);
}

/// H2: what the manifest says is on the card of the start, also where a value of the user stands in it.
#[test]
fn a_variable_is_hidden_only_where_the_user_typed_all_of_it() {
    let names = [
        ("WHOLE", "${user_config.key}"),
        ("HEADER", "Bearer ${user_config.key}"),
        ("BOTH", "${user_config.site}${user_config.key}"),
        ("PROPOSED", "${user_config.options}"),
        ("PART", "https://evil.example/${user_config.key}"),
        ("WORD", "sh ${user_config.key}"),
        ("FOLDER", "${__dirname}${user_config.key}"),
        ("UNKNOWN", "${user_config.unknown}"),
    ];
    let env: serde_json::Map<String, Value> = names
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).into()))
        .collect();
    let config = json!({ "command": "server/main", "env": env });
    let server = json!({ "type": "binary", "entry_point": "server/main", "mcp_config": config });
    let options = r#"{"executablePath":"/bin/sh","key":"YOUR_KEY"}"#;
    let text = |title: &str| json!({ "type": "string", "title": title, "sensitive": true });
    let mut proposed = text("Options");
    proposed["default"] = options.into();
    let settings = json!({ "key": text("Key"), "site": text("Site"), "options": proposed });
    let bundle = bundle(server, json!({ "user_config": settings }));
    let hidden = |more: &[(&str, &[&str])]| {
        let values = [&[("key", &["k-1"] as &[&str]), ("site", &["a"])], more].concat();
        let program = started(&bundle, &values);
        let typed = program.env.into_iter().filter(|pair| !pair.pasted);
        typed.map(|pair| pair.name).collect::<BTreeSet<_>>()
    };
    let edited = options.replace("YOUR_KEY", "k-1");
    for entered in [None, Some(options), Some(edited.as_str())] {
        let list: Vec<&str> = entered.into_iter().collect();
        let options: &[(&str, &[&str])] = &[("options", &list)];
        let more = &options[..list.len()];
        assert_eq!(
            hidden(more),
            ["BOTH", "HEADER", "WHOLE"].map(str::to_owned).into(),
            "{entered:?}"
        );
    }
    let own: &[&str] = &[r#"{"key":"k-1"}"#];
    assert_eq!(
        hidden(&[("options", own)]),
        ["BOTH", "HEADER", "PROPOSED", "WHOLE"].map(str::to_owned).into()
    );
}
