//! The launch of a server that `npx` or `uvx` runs: a download at first, and then the downloaded program itself, bound to the
//! lock file and to every file of the package.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use vestibule_app_protocol::Problem;
use vestibule_consent::{LaunchGap, LaunchGapKind, LaunchPackage, LaunchRisk, PackageState};
use vestibule_policy::BoundPackage;
use vestibule_store::{Program, ServerRecord};
use vestibule_transport::path;

use super::{LaunchPlan, bind, bundle, not_found, plan, plan_from_bundle};
use crate::bundle_folder::BundleFolder;
use crate::config::secrets::Secrets;
use crate::packages::{
    FetchError, PackageCommand, PackageFolder, PackageRequest, Pin, Runner, not_downloaded, recognise,
};
use crate::server::handle::ServerHandle;

/// A download that a start needs.
#[derive(Clone)]
pub(crate) struct PackageFetch {
    pub(crate) request: PackageRequest,
    /// npm or uv, absolute.
    pub(crate) tool: PathBuf,
}

/// What was brought to this computer for a server.
pub(crate) struct Brought {
    pub(crate) packages: PackageFolder,
    pub(crate) bundle: BundleFolder,
}

impl Brought {
    pub(crate) fn of(server: &ServerHandle) -> Self {
        Self {
            packages: server.packages(),
            bundle: server.bundle(),
        }
    }
}

/// Works out what starting a server would run, or what it would download first.
pub(crate) async fn plan_server(
    record: &ServerRecord,
    given: &Program,
    secrets: &dyn Secrets,
    search_path: &OsStr,
    folder: PathBuf,
    brought: &Brought,
) -> Result<LaunchPlan, Problem> {
    let packages = &brought.packages;
    let Some(command) = recognise(&given.command, &given.args, &folder) else {
        let used = bundle::in_use(given, &brought.bundle);
        let bundle = used.as_ref().map(|used| used.folder.clone());
        let plan = plan_from_bundle(record, given, secrets, search_path, folder, bundle).await?;
        return Ok(match used {
            Some(used) => bundle::bound(plan, given, used).await,
            None => plan,
        });
    };
    match packages.pin(&command.request) {
        Some(pin) if !pin.left_to_runner => {
            let fetched = Fetched {
                command,
                pin,
                packages,
            };
            fetched.plan(record, given, secrets, search_path, folder).await
        }
        pin => {
            let mut plan = plan(record, given, secrets, search_path, folder).await?;
            let state = if pin.is_some() {
                PackageState::LeftToRunner
            } else {
                let tool = tool(&command.request, &plan.launch.program, search_path)?;
                let text = tool.display().to_string();
                let request = command.request.clone();
                plan.fetch = Some(PackageFetch { request, tool });
                // The version that is downloaded is the one that starts from then on.
                plan.facts
                    .gaps
                    .retain(|gap| gap.kind != LaunchGapKind::UnpinnedPackage);
                plan.facts
                    .risks
                    .retain(|risk| *risk != LaunchRisk::UnpinnedPackage);
                PackageState::ToFetch { tool: text }
            };
            plan.facts.package = Some(shown(command.request, state));
            Ok(plan)
        }
    }
}

/// How the package of a command line is downloaded; `None` where the command line is not understood.
pub(crate) fn package_fetch(
    given: &Program,
    folder: &Path,
    search_path: &OsStr,
) -> Result<Option<PackageFetch>, Problem> {
    let Some(PackageCommand { request, .. }) = recognise(&given.command, &given.args, folder) else {
        return Ok(None);
    };
    let runner = path::resolve(&given.command, search_path, Some(folder));
    let runner = runner.unwrap_or_else(|_| PathBuf::from(&given.command));
    let tool = tool(&request, &runner, search_path)?;
    Ok(Some(PackageFetch { request, tool }))
}

fn shown(request: PackageRequest, state: PackageState) -> LaunchPackage {
    LaunchPackage {
        name: request.name,
        wanted: request.wanted,
        state,
    }
}

/// npm beside npx, uv beside uvx, or the one of the search path.
fn tool(request: &PackageRequest, runner: &Path, search_path: &OsStr) -> Result<PathBuf, Problem> {
    let name = match request.runner {
        Runner::Npm => "npm",
        Runner::Uv => "uv",
    };
    let beside = runner.with_file_name(name);
    if beside.is_file() {
        return Ok(beside);
    }
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    path::resolve(name, search_path, None).map_err(|missing| not_found(missing, &home))
}

/// A package that was downloaded.
struct Fetched<'a> {
    command: PackageCommand,
    pin: Pin,
    packages: &'a PackageFolder,
}

impl Fetched<'_> {
    async fn plan(
        self,
        record: &ServerRecord,
        given: &Program,
        secrets: &dyn Secrets,
        search_path: &OsStr,
        folder: PathBuf,
    ) -> Result<LaunchPlan, Problem> {
        let request = &self.command.request;
        let base = self.packages.path(&self.pin);
        let failed = |error: FetchError| not_downloaded(&request.name, error);
        let lock = request.lock(&base).map_err(failed)?;
        let entry = request.entry(&base).map_err(failed)?;
        let mut entry = entry.iter().map(|path| base.join(path).display().to_string());
        let direct = Program {
            command: entry.next().unwrap_or_default(),
            args: entry.chain(self.command.args.iter().cloned()).collect(),
            ..given.clone()
        };
        let mut plan = plan(record, &direct, secrets, search_path, folder).await?;
        let tree = self.packages.tree(&self.pin).await;
        if tree.is_err() {
            plan.facts.gaps.push(LaunchGap {
                kind: LaunchGapKind::Unreadable,
                what: bind::text(&base),
            });
        }
        if request.runner == Runner::Uv {
            // Python would write into the package at its first start, and the package is compared before the second.
            let name = "PYTHONDONTWRITEBYTECODE".to_owned();
            plan.launch.env.push((name, "1".into()));
        }
        plan.record.package = Some(BoundPackage {
            args: given.args.clone(),
            name: request.name.clone(),
            version: lock.version.clone(),
            lock: lock.sha256.clone(),
            tree: tree.unwrap_or_default(),
        });
        plan.digest = plan.record.digest();
        plan.facts.command.clone_from(&given.command);
        let state = PackageState::Fetched {
            version: lock.version,
            packages: u32::try_from(lock.packages.len()).unwrap_or(u32::MAX),
            lock: lock.sha256,
        };
        plan.facts.package = Some(shown(self.command.request, state));
        Ok(plan)
    }
}
