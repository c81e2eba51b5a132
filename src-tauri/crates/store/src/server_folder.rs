//! The folders in the data folder that servers work in, one for each, and how the record of a server names its own.

use std::path::{Path, PathBuf};

use vestibule_protocol::ServerId;

/// In the record of a server: a folder of its own in the data folder, wherever that is. A server without a folder in its
/// record was added before there were such folders, and works in the home folder.
pub const OWN_FOLDER: &str = "vestibule:own-folder";
/// The folder in the data folder that holds the folders of servers.
const SERVERS: &str = "servers";

/// The folder of a server that works in one of its own. It may not exist.
#[must_use]
pub fn server_folder(data_folder: &Path, server: ServerId) -> PathBuf {
    data_folder.join(SERVERS).join(server.to_string())
}

/// Whether this is the folder of a server in this data folder.
#[must_use]
pub fn is_server_folder(folder: &Path, data_folder: &Path) -> bool {
    folder.parent() == Some(&data_folder.join(SERVERS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_of_a_server_is_told_apart_from_what_is_above_and_below_it() {
        let data = Path::new("/data");
        let folder = server_folder(data, ServerId::new());
        assert!(is_server_folder(&folder, data) && !is_server_folder(&folder, Path::new("/other")));
        for other in [
            data,
            &data.join("servers"),
            &folder.join("x"),
            &data.join("logs/x"),
        ] {
            assert!(!is_server_folder(other, data), "{other:?}");
        }
    }
}
