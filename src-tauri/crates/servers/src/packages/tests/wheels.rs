use std::path::Path;
use std::sync::Mutex;

use async_trait::async_trait;
use vestibule_protocol::ServerId;
use vestibule_transport::{Exit, SpawnError};

use super::super::tool::{LineReader, RunTool, ToolLaunch, Tools};
use super::super::{FetchError, PackageFolder, PackageRequest, recognise};

/// uv that writes down its arguments and does not know the package as a wheel where `refusal` has words.
#[derive(Default)]
struct PlayedUv {
    runs: Mutex<Vec<Vec<String>>>,
    refusal: &'static str,
}

#[async_trait]
impl RunTool for PlayedUv {
    async fn run(&self, launch: ToolLaunch, line: &mut LineReader<'_>) -> Result<Option<Exit>, SpawnError> {
        let is_compile = launch.args.iter().any(|arg| arg == "compile");
        self.runs
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .push(launch.args);
        let mut code = 0;
        if is_compile && !self.refusal.is_empty() {
            self.refusal.lines().for_each(line);
            code = 1;
        } else if is_compile {
            let written = std::fs::write(launch.folder.join("requirements.txt"), "notes==1.2 \\\n");
            written.map_err(|error| SpawnError::Refused(error.to_string()))?;
        }
        Ok(Some(Exit {
            code: Some(code),
            signal: None,
        }))
    }
}

fn request() -> Option<PackageRequest> {
    let command = recognise("uvx", &["notes".to_owned()], Path::new("/nowhere"));
    command.map(|command| command.request)
}

fn tools(run: &PlayedUv) -> Tools<'_> {
    Tools {
        run,
        program: "/usr/bin/uv".into(),
        env: vec![],
        search_path: std::ffi::OsString::new(),
        progress: &|_| (),
    }
}

/// uv builds a source distribution already to learn its dependencies, and the build runs its code.
#[tokio::test]
async fn uv_may_use_wheels_alone_when_it_resolves_and_when_it_installs() {
    let (uv, data) = (PlayedUv::default(), tempfile::tempdir().unwrap());
    let folder = PackageFolder::new(data.path(), ServerId::new());
    let new = folder.make().unwrap();
    let lock = request().unwrap().fetch(&tools(&uv), new.path()).await.unwrap();
    assert_eq!(lock.version, "1.2");
    let runs = uv.runs.into_inner().unwrap();
    let pip: Vec<_> = runs.iter().filter(|args| args[0] == "pip").collect();
    assert_eq!(
        pip.iter().map(|args| &args[1]).collect::<Vec<_>>(),
        ["compile", "install"]
    );
    for args in pip {
        assert!(
            args.windows(2).any(|pair| pair == ["--only-binary", ":all:"]),
            "{args:?}"
        );
    }
}

/// The words of uv 0.13.
#[tokio::test]
async fn a_package_that_is_source_alone_is_left_to_uvx_before_anything_is_installed() {
    let uv = PlayedUv {
        refusal: "error: No solution found when resolving dependencies\n\
                  \x20 cause: Because notes==1.0 has no usable\n\
                  \x20        wheels and only notes==1.0 is available",
        ..PlayedUv::default()
    };
    let data = tempfile::tempdir().unwrap();
    let new = PackageFolder::new(data.path(), ServerId::new()).make().unwrap();
    let fetched = request().unwrap().fetch(&tools(&uv), new.path()).await;
    assert!(matches!(fetched, Err(FetchError::RunsCode)), "{fetched:?}");
    let runs = uv.runs.into_inner().unwrap();
    assert!(runs.iter().all(|args| args[1] != "install"), "{runs:?}");
}
