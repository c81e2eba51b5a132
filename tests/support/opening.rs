//! Where a scene takes place: a folder, secrets, a browser and proxies, which outlive the host that is opened on them.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tempfile::TempDir;
use vestibule_egress::Proxies;
use vestibule_host::{
    AppFolders, AppSystem, CallbackPage, HelperProgram, Host, HostOptions, MemorySecrets, NetworkVariables,
    Secrets,
};
use vestibule_store::Store;
use vestibule_transport::browser::Browser;

use crate::{Canaries, Home, Leak, Person, Scene, Window, program};

/// Where a scene takes place.
#[derive(Clone)]
pub struct Opening {
    folder: PathBuf,
    /// Removes the folder with the last scene in it.
    _own: Option<Arc<TempDir>>,
    secrets: Arc<dyn Secrets>,
    /// What opens pages; `None` for one that only writes down what it was called with.
    browser: Option<PathBuf>,
    proxies: Proxies,
    network_variables: NetworkVariables,
    /// `None` for scenes that are measured.
    canaries: Option<Arc<Canaries>>,
}

impl Default for Opening {
    fn default() -> Self {
        let own = tempfile::tempdir().unwrap();
        Self {
            folder: own.path().to_owned(),
            _own: Some(Arc::new(own)),
            secrets: Arc::new(MemorySecrets::new("a test")),
            browser: None,
            proxies: Proxies::default(),
            network_variables: NetworkVariables::default(),
            canaries: Some(Arc::default()),
        }
    }
}

impl Opening {
    /// In a folder that is there and stays there.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self {
            folder: folder.to_owned(),
            _own: None,
            secrets: Arc::new(MemorySecrets::new("a test")),
            browser: None,
            proxies: Proxies::default(),
            network_variables: NetworkVariables::default(),
            canaries: None,
        }
    }

    /// Without canaries, which cost time.
    #[must_use]
    pub fn without_canaries(self) -> Self {
        Self {
            canaries: None,
            ..self
        }
    }

    /// With this program for a browser.
    #[must_use]
    pub fn browsing_with(self, program: PathBuf) -> Self {
        Self {
            browser: Some(program),
            ..self
        }
    }

    #[must_use]
    pub fn keeping(self, secrets: Arc<dyn Secrets>) -> Self {
        Self { secrets, ..self }
    }

    /// With these variables that name proxies and certificates.
    #[must_use]
    pub fn behind(self, variables: &[(&str, &str)]) -> Self {
        let value = |name: &str| variables.iter().find(|(other, _)| *other == name);
        let set = |name: &str| value(name).map(|(_, value)| (*value).to_owned());
        Self {
            proxies: Proxies::from_variables(set),
            network_variables: NetworkVariables::from_variables(set),
            ..self
        }
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The home folder in which the configurations of other applications are looked for.
    #[must_use]
    pub fn home(&self) -> PathBuf {
        self.folder().join("home")
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.folder().join("vestibule.db")
    }

    /// Plants a canary; `None` where there are none.
    pub(crate) fn plant(&self, what: &'static str, home: Home) -> Option<String> {
        Some(self.canaries.as_ref()?.plant(what, home))
    }

    /// What leaked of the canaries of the scenes here.
    #[must_use]
    pub fn leaks(&self) -> Vec<Leak> {
        let leaks = |canaries: &Arc<Canaries>| canaries.leaks(&self.folder);
        self.canaries.as_ref().map(leaks).unwrap_or_default()
    }

    /// Opens the host here.
    pub async fn open(self) -> Scene {
        let store = Store::open(&self.database()).unwrap();
        let host = Host::open(HostOptions {
            store: store.clone(),
            secrets: self.secrets.clone(),
            guard: HelperProgram {
                program: program("vestibule-driver"),
                // The folder tells the guards of several scenes apart.
                leading_args: vec!["guard".into(), self.folder().display().to_string()],
            },
            worker: HelperProgram {
                program: program("vestibule-driver"),
                leading_args: vec!["worker".into(), self.folder().display().to_string()],
            },
            browser: Browser::Program(match &self.browser {
                Some(program) => program.clone(),
                None => browser(self.folder()),
            }),
            callback_page: |_| CallbackPage::default(),
            proxies: self.proxies.clone(),
            data_folder: self.folder().to_owned(),
            own_folders: vec![],
            app_folders: AppFolders::new(AppSystem::Linux, self.home(), |_| None),
            network_variables: self.network_variables.clone(),
            tour: None,
        })
        .await
        .unwrap();
        Scene {
            person: Person::at(&host),
            window: Window::open(&host).await,
            host,
            store,
            opening: self,
        }
    }
}

/// A browser that only writes down what it was called with, each argument ended by a zero.
fn browser(folder: &Path) -> PathBuf {
    let program = folder.join("browser");
    let words = format!(
        "#!/bin/sh\nprintf '%s\\0' \"$@\" >> '{}'\n",
        folder.join("opened").display()
    );
    std::fs::write(&program, words).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    program
}
