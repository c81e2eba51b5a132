//! Another version of a downloaded package: what the registry has for the same command line is resolved into a folder of its
//! own and compared with what the server starts from. It is downloaded and takes the place of the old one after a yes alone.

use std::collections::BTreeMap;

use jiff::Timestamp;
use secrecy::SecretString;
use tokio_util::sync::CancellationToken;
use vestibule_app_protocol::{InputProblem, PackageChange, PackageUpdate, Problem, UpdateProgress};
use vestibule_store::ServerPlace;

use super::download::tools;
use crate::config::launch::{PackageFetch, package_fetch};
use crate::config::variables;
use crate::gone;
use crate::packages::{
    DownloadProgress, FetchError, GuardedRunner, Lock, LockedPackage, NewVersion, Pin, not_downloaded,
};
use crate::server::handle::ServerHandle;

/// Another version that the registry has. Dropping it leaves the old one as it is.
pub struct FoundUpdate {
    server: ServerHandle,
    fetch: PackageFetch,
    env: Vec<(String, SecretString)>,
    before: Pin,
    new: NewVersion,
    shown: PackageUpdate,
    stop: CancellationToken,
}

impl FoundUpdate {
    /// Asks the registry for another version of the downloaded package; `None` where it has the same, or where the user
    /// stopped it.
    ///
    /// # Errors
    /// When the server starts from no downloaded package, or npm or uv does not find one.
    pub async fn look_for(server: &ServerHandle) -> Result<Option<Self>, Problem> {
        let record = server.record();
        let ServerPlace::Here(program) = &record.place else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        let search_path = server.context().search_path().await;
        let folder = server.working_folder_of(program);
        let fetch = package_fetch(program, &folder, search_path)?;
        let before = fetch
            .as_ref()
            .and_then(|fetch| server.packages().pin(&fetch.request));
        let (Some(fetch), Some(before)) = (fetch, before) else {
            return Err(Problem::Input(InputProblem::Gone));
        };
        let env = variables::resolve_variables(&record, server.secrets()).await?;
        let name = fetch.request.name.clone();
        let stop = server.begin_update();
        let look = async {
            let _one_at_a_time = server.hold_updates().await;
            if server.removed().is_cancelled() {
                return Err(gone());
            }
            let found = compare(server, &fetch, &env, &before).await;
            found.map_err(|error| not_downloaded(&name, error))
        };
        let Some(found) = stop.run_until_cancelled(look).await else {
            return Ok(None);
        };
        let found = found?;
        Ok(found.map(|(new, shown)| Self {
            server: server.clone(),
            fetch,
            env,
            before,
            new,
            shown,
            stop,
        }))
    }

    /// What the card shows.
    pub fn shown(&self) -> PackageUpdate {
        self.shown.clone()
    }

    /// Downloads the version and has the server start from it from now on. False where the server meanwhile starts from
    /// another one than the card named, or was removed. A server that runs is stopped before the old files go.
    ///
    /// # Errors
    /// When it cannot be downloaded. The server then starts from the old version as before.
    pub async fn apply(self) -> Result<bool, Problem> {
        let name = self.shown.package.clone();
        let server = self.server.clone();
        let _one_at_a_time = server.hold_updates().await;
        if self.server.packages().pin(&self.fetch.request).as_ref() != Some(&self.before) {
            return Ok(false);
        }
        self.switch()
            .await
            .map_err(|error| not_downloaded(&name, error))?;
        Ok(true)
    }

    /// Downloads the version. Dropping it ends npm or uv.
    async fn install(&self) -> Result<(), FetchError> {
        let context = self.server.context();
        let run = GuardedRunner(context.guard().await.map_err(FetchError::not_started)?);
        let shown = ProgressGuard(&self.server);
        let progress = |progress: DownloadProgress| {
            let DownloadProgress { arrived, total } = progress;
            shown.show(Some(UpdateProgress { arrived, total }));
        };
        let tools = tools(
            &run,
            &self.fetch,
            &self.env,
            context.search_path().await,
            &progress,
        );
        self.fetch.request.install(&tools, self.new.path()).await
    }

    async fn switch(self) -> Result<(), FetchError> {
        let server = &self.server;
        let packages = server.packages();
        let request = &self.fetch.request;
        let has_scripts = !self.shown.scripts.is_empty();
        if !has_scripts {
            tokio::select! {
                () = self.stop.cancelled() => return Err(FetchError::Stopped),
                installed = self.install() => installed?,
            }
        }
        let was_running = !server.read(crate::server::state::ServerSnapshot::has_ended);
        server.stop_and_wait().await;
        let now = Timestamp::now().as_millisecond();
        let switched = if has_scripts {
            packages.leave_to_runner(request, now)
        } else {
            let switched = packages.switch(self.new, request, &self.shown.after, now);
            switched.map(drop)
        };
        server.look_for_package();
        // Where the switch failed, the old version is still there.
        if was_running {
            server.start(false);
        }
        Ok(switched?)
    }
}

/// Shows how far a download is, and nothing any more once it is dropped.
struct ProgressGuard<'a>(&'a ServerHandle);

impl ProgressGuard<'_> {
    fn show(&self, progress: Option<UpdateProgress>) {
        self.0.change(|snapshot| {
            if let Some(package) = &mut snapshot.package {
                package.update = progress;
            }
        });
    }
}

impl Drop for ProgressGuard<'_> {
    fn drop(&mut self) {
        self.show(None);
    }
}

/// What the registry has now, beside what is kept; `None` where both are the same.
async fn compare(
    server: &ServerHandle,
    fetch: &PackageFetch,
    env: &[(String, SecretString)],
    before: &Pin,
) -> Result<Option<(NewVersion, PackageUpdate)>, FetchError> {
    let packages = server.packages();
    let old = fetch.request.lock(&packages.path(before))?;
    let new = packages.make()?;
    let run = GuardedRunner(server.context().guard().await.map_err(FetchError::not_started)?);
    let search_path = server.context().search_path().await;
    let tools = tools(&run, fetch, env, search_path, &|_| ());
    let lock = fetch.request.resolve(&tools, new.path()).await?;
    if lock.sha256 == old.sha256 {
        return Ok(None);
    }
    let mut shown = compared(&fetch.request.name, &old, &lock);
    let before = fetch.request.maintainers(&old.version, &tools, new.path()).await;
    shown.maintainers = fetch.request.maintainers(&lock.version, &tools, new.path()).await;
    shown.new_maintainers = added(&before, &shown.maintainers);
    Ok(Some((new, shown)))
}

fn compared(package: &str, old: &Lock, new: &Lock) -> PackageUpdate {
    let (before, after) = (versions(&old.packages), versions(&new.packages));
    let mut names: Vec<_> = before.keys().chain(after.keys()).copied().collect();
    names.sort_unstable();
    names.dedup();
    let change = |name: &str| {
        let of = |all: &BTreeMap<&str, String>| all.get(name).cloned().unwrap_or_default();
        let change = PackageChange {
            name: name.to_owned(),
            before: of(&before),
            after: of(&after),
        };
        (name != package && change.before != change.after).then_some(change)
    };
    let scripts = new.packages.iter().filter(|package| package.has_script);
    PackageUpdate {
        package: package.to_owned(),
        before: old.version.clone(),
        after: new.version.clone(),
        changes: names.into_iter().filter_map(change).collect(),
        scripts: scripts.map(|package| package.name.clone()).collect(),
        maintainers: vec![],
        new_maintainers: vec![],
    }
}

/// Who was added to the maintainers; empty where the earlier ones are not known.
fn added(before: &[String], after: &[String]) -> Vec<String> {
    let new = after
        .iter()
        .filter(|one| !before.is_empty() && !before.contains(one));
    new.cloned().collect()
}

/// The versions of each package, in one text.
fn versions(packages: &[LockedPackage]) -> BTreeMap<&str, String> {
    let mut all = BTreeMap::<&str, String>::new();
    for package in packages {
        let text = all.entry(&package.name).or_default();
        if !text.is_empty() {
            text.push_str(", ");
        }
        text.push_str(&package.version);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(version: &str, packages: &[(&str, &str)]) -> Lock {
        let locked = |(name, version): &(&str, &str)| LockedPackage {
            name: (*name).to_owned(),
            version: (*version).to_owned(),
            has_script: *name == "native",
        };
        Lock {
            packages: packages.iter().map(locked).collect(),
            sha256: String::new(),
            version: version.to_owned(),
        }
    }

    #[test]
    fn every_dependency_that_changes_and_every_install_script_is_named() {
        let old = lock(
            "1.0.0",
            &[
                ("gone", "1"),
                ("notes", "1.0.0"),
                ("same", "1"),
                ("words", "1"),
                ("words", "2"),
            ],
        );
        let new = lock(
            "1.1.0",
            &[("native", "3"), ("notes", "1.1.0"), ("same", "1"), ("words", "2")],
        );
        let update = compared("notes", &old, &new);
        assert_eq!(
            (update.before.as_str(), update.after.as_str()),
            ("1.0.0", "1.1.0")
        );
        let changes: Vec<_> = update
            .changes
            .iter()
            .map(|change| [change.name.as_str(), &change.before, &change.after])
            .collect();
        assert_eq!(
            changes,
            [["gone", "1", ""], ["native", "", "3"], ["words", "1, 2", "2"]]
        );
        assert_eq!(update.scripts, ["native"]);
    }

    #[test]
    fn a_new_maintainer_is_named_where_the_earlier_ones_are_known() {
        let [ann, ben] = ["ann", "ben"].map(str::to_owned);
        let both = [ann.clone(), ben.clone()];
        assert_eq!(added(std::slice::from_ref(&ann), &both), [ben]);
        assert!(added(&[], &both).is_empty() && added(&both, &[ann]).is_empty());
    }
}
