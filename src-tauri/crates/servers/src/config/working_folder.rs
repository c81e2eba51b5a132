//! The folder a local server works in. A new server gets an empty one of its own: started in the home folder, a runner
//! such as `npx` would obey what is there, for example `~/node_modules/.bin` and `~/.npmrc`.

use std::path::{Path, PathBuf};

use vestibule_policy::in_home;
use vestibule_protocol::ServerId;
use vestibule_store::{OWN_FOLDER, Program, server_folder};

/// Where a server works.
pub(crate) fn working_folder(data_folder: &Path, server: ServerId, program: &Program) -> PathBuf {
    let home = std::env::home_dir().unwrap_or_else(|| PathBuf::from("/"));
    match program.cwd.as_deref() {
        None => home,
        Some(OWN_FOLDER) => server_folder(data_folder, server),
        Some(folder) => in_home(folder, &home),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_server_that_says_so_works_in_a_folder_of_its_own() {
        let (data, id) = (Path::new("/data"), ServerId::new());
        let folder = |cwd: Option<&str>| {
            let program = Program {
                cwd: cwd.map(str::to_owned),
                ..Program::default()
            };
            working_folder(data, id, &program)
        };
        let home = std::env::home_dir().unwrap();
        assert_eq!(folder(None), home);
        assert_eq!(folder(Some("~/notes")), home.join("notes"));
        assert_eq!(folder(Some("/srv")), Path::new("/srv"));
        assert_eq!(folder(Some(OWN_FOLDER)), server_folder(data, id));
    }
}
