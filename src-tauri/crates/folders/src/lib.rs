//! The user's workspaces: which folders they hold, which server may know of which, and what became of each. What
//! is on disk is what holds; this part looks at the folders themselves, asks, and tells the main window. A server is
//! only ever told canonical paths that are still what they were when the user shared them.

mod argument_paths;
mod follow;
mod look;
mod offer;
mod outside;
mod own_data;
mod place;
mod troubles;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use jiff::Timestamp;
use serde_json::{Map, Value, json};
use vestibule_consent::{ArgumentPaths, FolderTrouble};
use vestibule_policy::Places;
use vestibule_protocol::{ServerId, WorkspaceId};
use vestibule_store::{FolderRecord, ShareRecord, Store};

use argument_paths::{Lookout, PathSearch};
use own_data::{Bases, OwnFolders};
use troubles::FolderLooks;
use vestibule_app_protocol::{
    EventStream, FolderView, HostEvent, Problem, ShareView, StateEvents, WorkspaceView,
};

pub use place::{canonical, home};

/// The longest text that can be a path, in bytes.
const LONGEST_PATH: usize = 4096;

/// All folders. Cheap to clone; all clones are one.
#[derive(Clone)]
pub struct Folders(Arc<FoldersInner>);

struct FoldersInner {
    store: Store,
    events: StateEvents,
    /// The servers the user told no folder, in this run: they are not asked about again by themselves.
    declined: Mutex<BTreeSet<ServerId>>,
    /// Held while what is shared is changed.
    sharing: tokio::sync::Mutex<()>,
    /// Where Vestibule keeps its own data and configuration.
    own: OnceLock<Arc<OwnFolders>>,
    lookout: Lookout,
    looks: FolderLooks,
    /// What was last shown, and what each server may know, to see what changes.
    last: Mutex<Last>,
}

#[derive(Default)]
struct Last {
    shown: Vec<WorkspaceView>,
    tellable: BTreeMap<ServerId, Vec<String>>,
}

/// A folder as it is sent to a server.
pub fn root(path: &str) -> Option<Value> {
    Some(json!({ "uri": place::uri(path)?, "name": place::name(path) }))
}

impl Folders {
    pub fn new(store: Store, events: EventStream) -> Self {
        Self(Arc::new(FoldersInner {
            store,
            events: StateEvents::new(events),
            declined: Mutex::default(),
            sharing: tokio::sync::Mutex::default(),
            own: OnceLock::new(),
            lookout: Lookout::default(),
            looks: FolderLooks::default(),
            last: Mutex::default(),
        }))
    }

    /// Everything the main window shows of workspaces.
    pub async fn views(&self) -> Result<Vec<WorkspaceView>, Problem> {
        let store = &self.0.store;
        let (workspaces, folders, shares) = (
            store.workspaces().await?,
            store.folders().await?,
            store.shares().await?,
        );
        let paths = folders.iter().map(|folder| folder.path.clone()).collect();
        let troubles = self.0.looks.troubles(paths).await;
        let folders_of = |workspace: WorkspaceId| {
            let of = folders.iter().filter(|folder| folder.workspace == workspace);
            of.map(|folder| folder_view(folder, &shares, &troubles)).collect()
        };
        let view = |workspace: vestibule_store::WorkspaceRecord| WorkspaceView {
            folders: folders_of(workspace.id),
            id: workspace.id,
            name: workspace.name,
        };
        Ok(workspaces.into_iter().map(view).collect())
    }

    /// Looks at everything again: tells the window where something is not as it was shown, and gives back the
    /// servers whose folders are others now.
    pub async fn look_again(&self) -> Result<Vec<ServerId>, Problem> {
        let mut changed = vec![];
        let look = async {
            let views = self.views().await?;
            let tellable = tellable_by_server(self.0.store.shares().await?, &views);
            let mut last = self.last();
            let servers: BTreeSet<_> = last.tellable.keys().chain(tellable.keys()).copied().collect();
            changed = servers
                .into_iter()
                .filter(|server| last.tellable.get(server) != tellable.get(server))
                .collect();
            last.tellable = tellable;
            let event = (last.shown != views).then(|| {
                last.shown.clone_from(&views);
                HostEvent::Workspaces { workspaces: views }
            });
            Ok::<_, Problem>(event)
        };
        self.0.events.tell(look).await?;
        Ok(changed)
    }

    /// Whether the user has decided what a server may know, or there is nothing to decide.
    pub async fn is_decided(&self, server: ServerId) -> Result<bool, Problem> {
        if self.declined().contains(&server) || self.0.store.folders().await?.is_empty() {
            return Ok(true);
        }
        Ok(self.shared(server).await?.next().is_some())
    }

    /// The folders a server may get now: shared with it, and still what they were.
    pub async fn tellable(&self, server: ServerId) -> Result<Vec<String>, Problem> {
        Ok(self.still_there(self.shared(server).await?.collect()).await)
    }

    /// Those of these folders that are still what they were when they were added.
    pub async fn still_there(&self, paths: Vec<String>) -> Vec<String> {
        let troubles = self.0.looks.troubles(paths.clone()).await;
        paths
            .into_iter()
            .filter(|path| !troubles.contains_key(path))
            .collect()
    }

    /// Records what a server received, and returns the servers whose folders turned out to be others by then.
    pub async fn record_shared(
        &self,
        server: ServerId,
        paths: Vec<String>,
    ) -> Result<Vec<ServerId>, Problem> {
        self.0
            .store
            .record_shared_roots(server, paths.clone(), Timestamp::now())
            .await?;
        // What it received need not be sent again; what has changed since then must.
        self.last().tellable.insert(server, paths);
        self.look_again().await
    }

    /// Takes a folder back from a server.
    pub async fn unshare(&self, server: ServerId, path: &str) -> Result<(), Problem> {
        // Who takes back the last one has decided; the server does not bring a card by asking again.
        self.declined().insert(server);
        let _sharing = self.0.sharing.lock().await;
        Ok(self.0.store.unshare(server, path).await?)
    }

    /// Names the folders of Vestibule's own data and configuration: what leads there is asked about. The first call
    /// counts.
    pub fn protect(&self, own: &[PathBuf]) {
        self.0.own.get_or_init(|| Arc::new(OwnFolders::new(own)));
    }

    /// The folders shared with a server; none where they cannot be read.
    pub async fn roots(&self, server: ServerId) -> Vec<String> {
        match self.shared(server).await {
            Ok(roots) => roots.collect(),
            Err(problem) => {
                tracing::error!(%problem, "failed to read the roots of a server");
                vec![]
            }
        }
    }

    /// What the paths in the arguments for a server with these roots come to. `working` is the folder the server runs in.
    pub async fn argument_paths(
        &self,
        roots: Vec<String>,
        working: Option<PathBuf>,
        arguments: Map<String, Value>,
    ) -> ArgumentPaths {
        let search = PathSearch {
            roots,
            ..self.search(working)
        };
        self.0.lookout.paths(search, arguments).await
    }

    /// Where the paths in the arguments of past calls lead now; where that takes too long, nothing is known of any.
    pub async fn places(&self, working: Option<PathBuf>, calls: Vec<Arc<Value>>) -> Vec<Places> {
        let count = calls.len();
        let places = self.0.lookout.places(self.search(working), calls).await;
        places.unwrap_or_else(|| vec![Places::default(); count])
    }

    fn search(&self, working: Option<PathBuf>) -> PathSearch {
        PathSearch {
            own: self.0.own.get().cloned().unwrap_or_default(),
            bases: Bases { home: None, working },
            roots: vec![],
        }
    }

    async fn shared(&self, server: ServerId) -> Result<impl Iterator<Item = String> + use<>, Problem> {
        let shares = self.0.store.shares().await?;
        Ok(shares
            .into_iter()
            .filter(move |share| share.server == server)
            .map(|share| share.path))
    }

    fn declined(&self) -> MutexGuard<'_, BTreeSet<ServerId>> {
        self.0.declined.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last(&self) -> MutexGuard<'_, Last> {
        self.0.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of those folders that are not what they were.
fn folder_view(
    folder: &FolderRecord,
    shares: &[ShareRecord],
    troubles: &BTreeMap<String, FolderTrouble>,
) -> FolderView {
    let of = shares.iter().filter(|share| share.path == folder.path);
    let share = |share: &ShareRecord| ShareView {
        server: share.server,
        shared_ms: share.shared.as_millisecond(),
        told_ms: share.told.map(Timestamp::as_millisecond),
    };
    FolderView {
        path: folder.path.clone(),
        trouble: troubles.get(&folder.path).copied(),
        shares: of.map(share).collect(),
    }
}

/// The shared folders that `views` shows without a trouble, by the server that may know of them.
fn tellable_by_server(shares: Vec<ShareRecord>, views: &[WorkspaceView]) -> BTreeMap<ServerId, Vec<String>> {
    let mut tellable: BTreeMap<ServerId, Vec<String>> = BTreeMap::new();
    for share in shares {
        let good = |folder: &FolderView| folder.path == share.path && folder.trouble.is_none();
        if views.iter().flat_map(|view| &view.folders).any(good) {
            tellable.entry(share.server).or_default().push(share.path);
        }
    }
    tellable
}

#[cfg(test)]
mod tests;
