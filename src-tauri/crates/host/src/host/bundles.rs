//! MCP bundles: read from a file or a registry, shown, and added as a server. An archive is copied first, so that what was
//! shown is what is unpacked. Paths come from the shell, which has them from the system, and addresses from what the
//! registry listed; no window can name another one.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio_util::sync::CancellationToken;
use url::Url;
use vestibule_bundles::{Bundle, BundleLimits, BundlePlace, UnpackError, this_system};
use vestibule_config_import::open_regular;
use vestibule_protocol::{EraChoice, ServerId};
use vestibule_server_gallery::{BundleDownload, DownloadLimits};
use vestibule_servers::{BundleFolder, ServerHandle, UnpackedBundle};
use vestibule_store::{Program, ServerPlace, make_folder_private, server_folder};

use super::Host;
use super::blocking::blocking;
use crate::view::{
    BundleDraft, BundleFault, BundleOffer, BundleProblem, BundleView, GalleryPage, InputProblem, PlaceDraft,
    Problem, ProgramDraft, ServerDraft, StoreProblem,
};

/// The most addresses of bundles that are remembered of what a registry listed.
const MOST_OFFERS: usize = 1000;

/// The bundle that waits to be added, and those that can be downloaded.
#[derive(Default)]
pub(super) struct WaitingBundles {
    chosen: Mutex<Option<ChosenBundle>>,
    offered: Mutex<Vec<OfferedBundle>>,
    /// Ends the download that runs.
    download: Mutex<CancellationToken>,
}

/// A bundle that was read and shown.
struct ChosenBundle {
    bundle: Bundle,
    /// A copy of the archive that no path leads to.
    archive: File,
    /// The server that it would become.
    server: ServerId,
    place: BundlePlace,
    source: String,
}

/// A bundle that a registry listed.
#[derive(Clone)]
struct OfferedBundle {
    registry: String,
    offer: BundleOffer,
}

impl Host {
    /// Reads a bundle from a file. It replaces one that waited.
    ///
    /// # Errors
    /// Why it is refused, or the file cannot be read.
    pub async fn bundle_read(&self, path: &Path) -> Result<BundleView, Problem> {
        self.bundle_drop();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let (path, folder, source) = (path.to_owned(), self.bundles_folder(), name.clone());
        let archive = blocking(move || copy(&path, &folder, &source)).await?;
        self.read_bundle(archive, name, None).await
    }

    /// Reads the bundle that was dropped on the window last. Each drop is read once.
    ///
    /// # Errors
    /// Where something else was dropped, and as for [`Host::bundle_read`].
    pub async fn bundle_dropped(&self) -> Result<BundleView, Problem> {
        let paths = std::mem::take(&mut *lock(&self.0.dropped));
        match paths.as_slice() {
            [path] if is_bundle(path) => self.bundle_read(path).await,
            _ => Err(BundleProblem::BundleOnly.into()),
        }
    }

    /// Downloads a bundle that the registry listed, and reads it. It replaces one that waited.
    ///
    /// # Errors
    /// Where the registry did not list this address, and why it did not arrive or is refused.
    pub async fn bundle_download(&self, address: &str) -> Result<BundleView, Problem> {
        self.bundle_drop();
        let stop = CancellationToken::new();
        *lock(&self.0.bundles.download) = stop.clone();
        let stopped = || Problem::Input(InputProblem::Gone);
        let fetched = stop.run_until_cancelled(self.fetch_bundle(address)).await;
        let (archive, expected) = fetched.ok_or_else(stopped)??;
        self.read_bundle(archive, address.to_owned(), Some(expected))
            .await
    }

    /// Unpacks the bundle that was shown and adds its server, which does not start by itself. A bundle that could not be
    /// added waits as before.
    ///
    /// # Errors
    /// When another bundle waits, a value or the name does not fit, or something could not be written.
    pub async fn bundle_add(&self, draft: BundleDraft) -> Result<ServerId, Problem> {
        let name = self.checked_name(&draft.name, None)?;
        let draft = BundleDraft { name, ..draft };
        let chosen = lock(&self.0.bundles.chosen).take();
        let chosen = chosen.ok_or(Problem::Input(InputProblem::Gone))?;
        let (chosen, added) = self.add_bundle(chosen, draft).await?;
        let mut waiting = lock(&self.0.bundles.chosen);
        if added.is_err() && waiting.is_none() {
            *waiting = Some(chosen);
        }
        added
    }

    /// Forgets the bundle that waits, and stops a download.
    pub fn bundle_drop(&self) {
        lock(&self.0.bundles.download).cancel();
        lock(&self.0.bundles.chosen).take();
    }

    /// Remembers which bundles a registry listed, so that these alone can be downloaded.
    pub(super) fn note_bundles(&self, registry: &str, page: &GalleryPage) {
        let packages = page.entries.iter().flat_map(|entry| &entry.packages);
        let offers = packages.filter_map(|package| package.bundle.clone());
        let mut offered = lock(&self.0.bundles.offered);
        offered.extend(offers.map(|offer| OfferedBundle {
            registry: registry.to_owned(),
            offer,
        }));
        let beyond = offered.len().saturating_sub(MOST_OFFERS);
        offered.drain(..beyond);
    }

    /// Removes the bundle of a server that is removed, and the one that a duplicate was started from after its own server
    /// was removed, unless another server is started from there.
    pub(super) async fn remove_bundles(&self, removed: &ServerHandle) {
        let mut unused = vec![removed.bundle()];
        if let ServerPlace::Here(program) = &removed.record().place
            && self.knows_all_servers().await
        {
            let named = words(program).filter_map(|word| unused[0].server_named(word));
            let gone = named.filter(|server| self.0.servers.get(*server).is_err());
            let gone: Vec<_> = gone.collect();
            let data = &self.0.data_folder;
            unused.extend(gone.into_iter().map(|server| BundleFolder::new(data, server)));
        }
        let others = self.0.servers.all().into_iter();
        let others = others.filter(|server| server.id() != removed.id());
        let places: Vec<_> = others.map(|server| server.record().place).collect();
        unused.retain(|bundle| {
            !places.iter().any(|place| match place {
                ServerPlace::Here(program) => bundle.is_named_in(words(program)),
                ServerPlace::Address(_) => false,
            })
        });
        for bundle in unused {
            if let Err(error) = bundle.remove() {
                tracing::warn!(%error, "failed to remove the bundle of a server");
            }
        }
    }

    /// Removes the bundles that were unpacked when the application ended before their servers were added.
    pub(super) async fn remove_bundles_not_added(&self) {
        if !self.knows_all_servers().await {
            return;
        }
        let host = self.clone();
        let removed = blocking(move || {
            let data = &host.0.data_folder;
            for server in BundleFolder::not_added(data).map_err(failed)? {
                let bundle = BundleFolder::new(data, server);
                let is_added = host.0.servers.get(server).is_ok();
                let cleared = if is_added { bundle.added() } else { bundle.remove() };
                cleared.map_err(failed)?;
            }
            Ok(())
        });
        if let Err(problem) = removed.await {
            tracing::warn!(%problem, "failed to remove the bundle of a server that was not added");
        }
    }

    /// Whether there is no server whose row cannot be read: it may be put back.
    async fn knows_all_servers(&self) -> bool {
        let checked = self.0.store.checked_servers().await;
        checked.is_ok_and(|all| all.iter().all(|checked| checked.row.is_some()))
    }

    fn bundles_folder(&self) -> PathBuf {
        self.0.data_folder.join("bundles")
    }

    /// The archive, and the digest that the registry listed.
    async fn fetch_bundle(&self, address: &str) -> Result<(File, String), Problem> {
        let gone = || Problem::Input(InputProblem::Gone);
        let OfferedBundle { registry, offer } = self.offered_bundle(address).ok_or_else(gone)?;
        let registry = Url::parse(&registry).map_err(|_| gone())?;
        let folder = self.bundles_folder();
        let mut archive = blocking(move || temporary(&folder)).await?;
        let limits = DownloadLimits::of(BundleLimits::default().archive);
        let download = BundleDownload::new(&registry, self.0.models.proxies.clone(), limits);
        download.fetch(address, &mut archive).await?;
        Ok((archive, offer.sha256))
    }

    fn offered_bundle(&self, address: &str) -> Option<OfferedBundle> {
        let offered = lock(&self.0.bundles.offered);
        let mut newest = offered.iter().rev();
        newest.find(|known| known.offer.address == address).cloned()
    }

    /// Reads an archive whole and keeps it for the user's word.
    async fn read_bundle(
        &self,
        mut archive: File,
        source: String,
        expected: Option<String>,
    ) -> Result<BundleView, Problem> {
        let refused = source.clone();
        let (read, archive) = blocking(move || {
            let read = Bundle::read(&mut archive, this_system(), &BundleLimits::default());
            Ok((read, archive))
        })
        .await?;
        let bundle = read
            .and_then(|bundle| match expected {
                Some(expected) if expected != bundle.sha256() => Err(BundleFault::Digest {
                    expected,
                    found: bundle.sha256().to_owned(),
                }),
                _ => Ok(bundle),
            })
            .map_err(|fault| BundleProblem::BundleRefused {
                bundle: refused,
                fault,
            })?;
        let server = ServerId::new();
        let data = &self.0.data_folder;
        let place = BundlePlace {
            folder: BundleFolder::new(data, server).files(bundle.sha256()),
            working_folder: server_folder(data, server),
            home: std::env::home_dir().unwrap_or_else(|| PathBuf::from("/")),
        };
        let view = bundle.view(&source, &place);
        *lock(&self.0.bundles.chosen) = Some(ChosenBundle {
            bundle,
            archive,
            server,
            place,
            source,
        });
        Ok(view)
    }

    /// Unpacks a bundle and adds its server. Gives the bundle back, because one that was not added can be tried again.
    async fn add_bundle(
        &self,
        mut chosen: ChosenBundle,
        draft: BundleDraft,
    ) -> Result<(ChosenBundle, Result<ServerId, Problem>), Problem> {
        let program = match chosen.program(&draft) {
            Ok(program) => program,
            Err(problem) => return Ok((chosen, Err(problem))),
        };
        let folder = BundleFolder::new(&self.0.data_folder, chosen.server);
        let to = folder.clone();
        let (chosen, unpacked) = blocking(move || {
            let unpacked = chosen.unpack(&to);
            Ok((chosen, unpacked))
        })
        .await?;
        if let Err(problem) = unpacked {
            return Ok((chosen, Err(problem)));
        }
        let server = ServerDraft {
            name: draft.name,
            place: PlaceDraft::Here(program),
            era: EraChoice::Auto,
        };
        let added = self.add_server(chosen.server, server).await;
        let noted = if added.is_ok() {
            folder.added()
        } else {
            folder.remove()
        };
        if let Err(error) = noted {
            tracing::warn!(%error, "failed to note whether a bundle was added");
        }
        Ok((chosen, added))
    }
}

impl ChosenBundle {
    /// What its server is started with.
    fn program(&self, draft: &BundleDraft) -> Result<ProgramDraft, Problem> {
        if draft.sha256 != self.bundle.sha256() {
            return Err(Problem::Input(InputProblem::Gone));
        }
        let program = self.bundle.program(draft, &self.place);
        let program = program.map_err(|refused| BundleProblem::BundleValue {
            title: refused.title,
            fault: refused.fault,
        })?;
        Ok(ProgramDraft {
            command: program.command,
            args: program.args,
            env: program.env,
            folder: None,
        })
    }

    /// Unpacks the archive to where its server is started from.
    fn unpack(&mut self, folder: &BundleFolder) -> Result<(), Problem> {
        let manifest = self.bundle.manifest();
        let about = UnpackedBundle {
            name: manifest.name.clone(),
            version: manifest.version.clone(),
            sha256: self.bundle.sha256().to_owned(),
        };
        let (bundle, archive) = (&self.bundle, &mut self.archive);
        let unpacked = folder.fill(&about, |part| {
            bundle.unpack(archive, part, &BundleLimits::default())
        });
        unpacked.map_err(|error| match error {
            UnpackError::Refused(fault) => Problem::from(BundleProblem::BundleRefused {
                bundle: self.source.clone(),
                fault,
            }),
            UnpackError::Io(error) => Problem::from(BundleProblem::BundleNotUnpacked {
                folder: self.place.folder.display().to_string(),
                detail: error.to_string(),
            }),
        })
    }
}

/// Copies an archive into a file without a name.
fn copy(path: &Path, folder: &Path, name: &str) -> Result<File, Problem> {
    let unreadable = |error: io::Error| BundleProblem::BundleUnreadable {
        bundle: name.to_owned(),
        detail: error.to_string(),
    };
    let limits = BundleLimits::default();
    let source = open_regular(path).map_err(unreadable)?;
    let mut copy = temporary(folder)?;
    // One byte more than is allowed, so that the reader finds it too long.
    io::copy(&mut source.take(limits.archive + 1), &mut copy).map_err(unreadable)?;
    Ok(copy)
}

/// A file without a name, on the disk of the data.
fn temporary(folder: &Path) -> Result<File, Problem> {
    make_folder_private(folder).map_err(failed)?;
    tempfile::tempfile_in(folder).map_err(failed)
}

fn failed(error: io::Error) -> Problem {
    Problem::Store(StoreProblem::StoreFailed {
        detail: error.to_string(),
    })
}

/// The program of a server and its arguments.
fn words(program: &Program) -> impl Iterator<Item = &str> {
    std::iter::once(&program.command)
        .chain(&program.args)
        .map(String::as_str)
}

fn is_bundle(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| {
        ["mcpb", "dxt"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
