//! What is read as a token, and everything that is refused before a byte of it could be sent.

use secrecy::ExposeSecret;

use super::*;

fn jwt(canary: &str) -> String {
    let part = |json: &str| URL_SAFE_NO_PAD.encode(json);
    let claims = format!(r#"{{"sub":"{canary}"}}"#);
    format!(
        "{}.{}.{}",
        part(r#"{"alg":"ES256"}"#),
        part(&claims),
        part("sign")
    )
}

struct Folder {
    folder: tempfile::TempDir,
    data: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            data: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, path: &Path) -> TokenFile {
        TokenFile::new(path.display().to_string(), self.data.path().to_owned())
    }

    /// Why the file is refused; the same before a question and at a renewal, and without a word of its content.
    async fn refused(&self, path: &Path) -> String {
        let file = self.file(path);
        let first = file.file().await.unwrap_err();
        let later = file.assertion("a").await.unwrap_err();
        assert_eq!(first, later);
        assert!(!first.contains("canary"), "{first}");
        first
    }
}

/// AX-025, AX-040: a token is taken from its file each time, whole or not at all.
#[tokio::test]
async fn a_token_is_read_again_each_time() {
    let folder = Folder::new();
    let path = folder.path("token");
    let file = folder.file(&path);
    assert!(file.assertion("a").await.unwrap_err().contains("token"));
    for canary in ["canary-one", "canary-two"] {
        let token = jwt(canary);
        std::fs::write(&path, format!("{token}\n")).unwrap();
        assert_eq!(file.assertion("a").await.unwrap().expose_secret(), token);
        let shown = file.file().await.unwrap().unwrap();
        assert_eq!(shown.path, path.display().to_string());
        assert_eq!(shown.bytes, token.len() as u64 + 1);
    }
    let near = TokenFile::new("token".to_owned(), folder.data.path().to_owned());
    assert!(near.assertion("a").await.unwrap_err().contains("full path"));
}

#[tokio::test]
async fn what_is_no_jwt_is_never_sent() {
    let folder = Folder::new();
    let path = folder.path("id_ed25519");
    let part = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let two = format!("{}.{}", part(r#"{"alg":"ES256"}"#), part("{}"));
    for content in [
        "-----BEGIN OPENSSH PRIVATE KEY-----\ncanary\n-----END OPENSSH PRIVATE KEY-----\n".to_owned(),
        "canary".to_owned(),
        " \n".to_owned(),
        "canary.canary.canary".to_owned(),
        two.clone(),
        format!("{two}."),
        format!("{two}.a.b"),
        format!("{}.{}.{}", part(r#"{"typ":"JWT"}"#), part("{}"), part("s")),
        format!("{}.{}.{}", part(r#"{"alg":"ES256"}"#), part("canary"), part("s")),
        format!("{}\ncanary", jwt("a")),
    ] {
        std::fs::write(&path, &content).unwrap();
        let why = folder.refused(&path).await;
        assert!(why.contains("does not hold a token"), "{content:?}: {why}");
    }
    std::fs::write(&path, [0xff, b'.', 0xfe, b'.', 0xfd]).unwrap();
    assert!(folder.refused(&path).await.contains("does not hold a token"));
    std::fs::write(&path, "canary".repeat(20_000)).unwrap();
    assert!(folder.refused(&path).await.ends_with("too large for a token"));
}

#[tokio::test]
async fn nothing_of_vestibules_own_data_is_sent() {
    let folder = Folder::new();
    let inner = folder.data.path().join("inner");
    std::fs::create_dir(&inner).unwrap();
    std::fs::write(inner.join("token"), jwt("canary")).unwrap();
    for path in [
        inner.join("token"),
        inner.join("..").join("inner").join("token"),
        folder.data.path().join("vestibule.db"),
    ] {
        let why = folder.refused(&path).await;
        assert!(why.contains("Vestibule's own data"), "{why}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn links_pipes_devices_and_folders_are_refused_at_once() {
    let folder = Folder::new();
    let target = folder.path("target");
    std::fs::write(&target, jwt("canary")).unwrap();
    let link = folder.path("link");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert!(folder.refused(&link).await.contains("is a link"));
    let pipe = folder.path("pipe");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &pipe,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR,
        0,
    )
    .unwrap();
    for path in [pipe.as_path(), folder.folder.path(), Path::new("/dev/zero")] {
        let why = folder.refused(path).await;
        assert!(why.contains("not a regular file"), "{why}");
    }
    // A folder that leads into the data by a link is the data all the same.
    let way_in = folder.path("way-in");
    std::os::unix::fs::symlink(folder.data.path(), &way_in).unwrap();
    std::fs::write(folder.data.path().join("token"), jwt("canary")).unwrap();
    let why = folder.refused(&way_in.join("token")).await;
    assert!(why.contains("Vestibule's own data"), "{why}");
}
