//! npx against a registry of the test: what the npm of this computer says today.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;
use tokio::net::TcpListener;
use vestibule_app_protocol::ServerProblem;
use vestibule_transport::{Exit, path};

use super::super::{diagnosed, ended, program};
use crate::packages::tests::registry::{Plain, Published, Registry};
use crate::packages::{RunTool, ToolLaunch};

/// A registry with one package, which has a program and wants a Node.js of the far future.
async fn registry() -> Registry {
    let registry = Registry::open().await;
    for (name, more) in [
        ("notes", json!({ "bin": { "notes": "./cli.js" } })),
        ("library", json!({ "main": "cli.js" })),
        (
            "future",
            json!({ "bin": "./cli.js", "engines": { "node": ">=999" } }),
        ),
        (
            "broken",
            json!({ "bin": "./cli.js", "scripts": { "postinstall": "exit 3" } }),
        ),
    ] {
        let mut manifest = json!({ "name": name, "version": "1.0.0" });
        manifest
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        let files = &[("cli.js", "#!/usr/bin/env node\n")];
        registry.publish(&Published { manifest, files });
    }
    registry
}

/// The run of npx with these arguments and variables.
fn launch(registry: &Registry, args: &[&str], env: &[(&str, &str)]) -> ToolLaunch {
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let npx = path::resolve("npx", &search_path, None).unwrap_or_else(|_| panic!("npx is not installed"));
    let home = registry.home.path();
    let mut variables = vec![
        ("HOME".to_owned(), home.display().to_string().into()),
        (
            "npm_config_cache".to_owned(),
            home.join("cache").display().to_string().into(),
        ),
        ("npm_config_fetch_retries".to_owned(), "0".into()),
    ];
    variables.extend(
        env.iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).into())),
    );
    ToolLaunch {
        program: npx,
        args: args.iter().map(ToString::to_string).collect(),
        folder: home.to_owned(),
        env: variables,
        search_path,
    }
}

/// What is said of npx that ended with these arguments and variables.
async fn npx(registry: &Registry, args: &[&str], env: &[(&str, &str)]) -> serde_json::Value {
    said_of(launch(registry, args, env), args).await
}

/// What is said of a run of npx that ended.
async fn said_of(launch: ToolLaunch, args: &[&str]) -> serde_json::Value {
    let mut said = vec![];
    let mut line = |text: &str| said.push(text.to_owned());
    let exit: Option<Exit> = Plain.run(launch, &mut line).await.unwrap();
    let command = [&["npx"][..], args].concat();
    let said: Vec<&str> = said.iter().map(String::as_str).collect();
    json!(ended(program(&command, &[]), &exit.unwrap().to_string(), &said))
}

/// The arguments of npx, a variable, and the cause that is found.
type Case = (
    &'static [&'static str],
    Option<(&'static str, &'static str)>,
    &'static str,
);

#[tokio::test]
async fn what_npx_says_of_a_package_finds_its_sentence() {
    let registry = registry().await;
    let cases: [Case; 7] = [
        (&["-y", "nothing-of-the-kind"], None, "package_missing"),
        (&["-y", "notes@9.9.9"], None, "version_missing"),
        (&["--no", "notes@1.0.0"], None, "no_yes"),
        (&["-y", "library@1.0.0"], None, "wrong_command"),
        (
            &["-y", "notes@1.0.0"],
            Some(("npm_config_offline", "true")),
            "not_cached",
        ),
        (
            &["-y", "future@1.0.0"],
            Some(("npm_config_engine_strict", "true")),
            "runtime_too_old",
        ),
        (&["-y", "broken@1.0.0"], None, "npx_silent"),
    ];
    for (args, env, cause) in cases {
        let found = npx(&registry, args, &Vec::from_iter(env)).await;
        assert_eq!(found["cause"]["cause"], cause, "{args:?}: {found}");
    }
    registry.replace_archives(b"something else");
    let found = npx(&registry, &["-y", "notes@1.0.0"], &[]).await;
    assert_eq!(found["cause"]["cause"], "digest_differs", "{found}");
}

#[tokio::test]
async fn a_registry_that_is_away_and_a_proxy_that_wants_a_sign_in_find_their_sentences() {
    let registry = registry().await;
    let closed = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let nowhere = format!("http://{}/", closed.local_addr().unwrap());
    drop(closed);
    let found = npx(&registry, &["-y", "notes"], &[("npm_config_registry", &nowhere)]).await;
    assert_eq!(
        found["cause"],
        json!({ "cause": "registry_unreachable", "tool": "node" })
    );

    let (proxy, serving) = super::addresses::answering("407 Proxy Authentication Required\r\n", "").await;
    let proxy = format!("http://{proxy}");
    let variables = [
        ("npm_config_registry", "http://registry.vestibule.invalid/"),
        ("npm_config_proxy", &proxy),
        ("npm_config_https_proxy", &proxy),
    ];
    let found = npx(&registry, &["-y", "notes"], &variables).await;
    assert_eq!(found["cause"], json!({ "cause": "proxy_in_the_way" }));
    serving.abort();
}

/// A user without rights runs npx with a cache of another user. Tests of the user `root` run it as another one, because
/// nothing is closed to root.
#[tokio::test]
async fn a_cache_of_another_user_leads_to_its_owner() {
    let registry = registry().await;
    let cache = registry.home.path().join("cache");
    std::fs::create_dir(&cache).unwrap();
    std::fs::set_permissions(&cache, Permissions::from_mode(0o555)).unwrap();
    std::fs::set_permissions(registry.home.path(), Permissions::from_mode(0o755)).unwrap();
    let args = ["-y", "notes@1.0.0"];
    let mut launch = launch(&registry, &args, &[("npm_config_logs_max", "0")]);
    if rustix::process::geteuid().is_root() {
        let npx = std::mem::replace(&mut launch.program, "/usr/bin/setpriv".into());
        let as_other = ["--reuid=65534", "--regid=65534", "--clear-groups"].map(str::to_owned);
        launch
            .args
            .splice(0..0, as_other.into_iter().chain([npx.display().to_string()]));
    }
    let found = said_of(launch, &args).await;
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "cache_not_writable", "tool": "node" },
            "step": { "step": "guide", "guide": { "guide": "cache_owner", "tool": "node" } },
        })
    );
}

/// The registry took the request and sends nothing.
#[tokio::test]
async fn a_download_that_takes_longer_than_the_start_may_is_named() {
    let registry = registry().await;
    let silent = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}/", silent.local_addr().unwrap());
    let args = ["-y", "notes"];
    let launch = launch(&registry, &args, &[("npm_config_registry", &address)]);
    let mut said = vec![];
    let mut line = |text: &str| said.push(text.to_owned());
    tokio::select! {
        exit = Plain.run(launch, &mut line) => panic!("npx ended: {exit:?}"),
        asked = silent.accept() => drop(asked.unwrap()),
    }
    let problem = ServerProblem::StartTimedOut {
        seconds: 60,
        stderr: said,
    };
    let command = [&["npx"][..], &args].concat();
    let found = json!(diagnosed(program(&command, &[]), problem, vec![]));
    assert_eq!(
        found,
        json!({
            "cause": { "cause": "download_slow", "tool": "node" },
            "step": { "step": "retry" },
        })
    );
}
