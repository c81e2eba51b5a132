//! Downloads the package of a server under the permit to start it. Dropping the download ends npm or uv with all that they
//! started, and removes what has arrived.

use std::ffi::OsStr;
use std::ffi::OsString;

use jiff::Timestamp;
use secrecy::SecretString;
use vestibule_app_protocol::{LogSource, Problem};

use crate::config::launch::{LaunchPlan, PackageFetch};
use crate::packages::{DownloadProgress, FetchError, GuardedRunner, Lock, Tools, not_downloaded};
use crate::server::handle::ServerHandle;
use crate::server::state::Lifecycle;

/// Variables that say where packages come from and how they are reached. Of a server's own variables npm and uv get these
/// alone, because the others are secrets of the server; of the application's own the same, because they are the user's.
const PREFIXES: [&str; 4] = ["NPM_", "UV_", "NODE_", "SSL_CERT_"];
const NAMES: [&str; 7] = [
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "REQUESTS_CA_BUNDLE",
    "NETRC",
    "PATH",
];

/// Downloads what the plan needs.
pub(super) async fn download(
    server: &ServerHandle,
    plan: &LaunchPlan,
    fetch: &PackageFetch,
    search_path: &OsStr,
) -> Result<(), Problem> {
    let name = &fetch.request.name;
    server.note(LogSource::Host, None, &format!("downloading {name}"));
    match fetch_package(server, plan, fetch, search_path).await {
        Ok(Some(lock)) => {
            let text = format!("downloaded {name} {}, lock file {}", lock.version, lock.sha256);
            server.note(LogSource::Host, None, &text);
            Ok(())
        }
        Ok(None) => {
            let text = format!("{name} runs code where it is installed, so it was not downloaded");
            server.note(LogSource::Host, Some("warning".into()), &text);
            Ok(())
        }
        Err(error) => Err(not_downloaded(name, error)),
    }
}

/// `None` where the package cannot be installed without running code of it.
async fn fetch_package(
    server: &ServerHandle,
    plan: &LaunchPlan,
    fetch: &PackageFetch,
    search_path: &OsStr,
) -> Result<Option<Lock>, FetchError> {
    let guard = server.context().guard().await.map_err(FetchError::not_started)?;
    let run = GuardedRunner(guard);
    let progress = |progress| server.change(|snapshot| snapshot.state = Lifecycle::Downloading(progress));
    let tools = tools(&run, fetch, &plan.launch.env, search_path, &progress);
    let packages = server.packages();
    let new = packages.make()?;
    let now = Timestamp::now().as_millisecond();
    let fetched = fetch.request.fetch(&tools, new.path()).await;
    if matches!(fetched, Err(FetchError::RunsCode)) {
        packages.leave_to_runner(&fetch.request, now)?;
        return Ok(None);
    }
    let lock = fetched?;
    packages.switch(new, &fetch.request, &lock.version, now)?;
    server.look_for_package();
    Ok(Some(lock))
}

/// npm or uv with what it is run with.
pub(super) fn tools<'a>(
    run: &'a GuardedRunner,
    fetch: &PackageFetch,
    declared: &[(String, SecretString)],
    search_path: &OsStr,
    progress: &'a (dyn Fn(DownloadProgress) + Sync),
) -> Tools<'a> {
    Tools {
        run,
        program: fetch.tool.clone(),
        env: environment(std::env::vars_os(), declared),
        search_path: search_path.to_owned(),
        progress,
    }
}

fn environment(
    ours: impl Iterator<Item = (OsString, OsString)>,
    declared: &[(String, SecretString)],
) -> Vec<(String, SecretString)> {
    let ours = ours.filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
    let ours = ours.filter(|(name, _)| is_about_packages(name) && name != "PATH");
    let mut all: Vec<_> = ours.map(|(name, value)| (name, value.into())).collect();
    let declared = declared.iter().filter(|(name, _)| is_about_packages(name));
    all.extend(declared.cloned());
    all
}

fn is_about_packages(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    NAMES.contains(&upper.as_str()) || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn npm_and_uv_get_no_secret_of_the_server_or_of_the_application() {
        let ours = [
            ("PATH", "/bin"),
            ("https_proxy", "http://proxy.example"),
            ("AWS_SECRET_ACCESS_KEY", "k"),
        ];
        let ours = ours.into_iter().map(|(name, value)| (name.into(), value.into()));
        let declared = ["NOTES_KEY", "npm_config_registry", "UV_INDEX_URL", "PATH"];
        let declared = declared.map(|name| (name.to_owned(), SecretString::from("x")));
        let got: Vec<_> = environment(ours, &declared)
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(
            got,
            ["https_proxy", "npm_config_registry", "UV_INDEX_URL", "PATH"]
        );
    }
}
