//! Which paths are data of ours.

use std::os::unix::fs::symlink;

use super::*;

#[test]
fn every_way_into_the_folder_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let base = folder.path().canonicalize().unwrap();
    let own = base.join("share/app.vestibule.test");
    std::fs::create_dir_all(&own).unwrap();
    std::fs::create_dir(base.join("notes")).unwrap();
    symlink(&own, base.join("notes/link")).unwrap();
    symlink(base.join("share"), base.join("notes/above")).unwrap();
    let bases = Bases {
        home: Some(base.clone()),
        working: Some(base.join("notes")),
    };
    let folders = OwnFolders::new(std::slice::from_ref(&own));
    let at = base.display();
    for text in [
        format!("{at}/share/app.vestibule.test"),
        format!("{at}/share/app.vestibule.test/vestibule.db"),
        format!("{at}/share/./x/../app.vestibule.test/new/file"),
        format!("file://{at}/share/app%2Evestibule.test/vestibule.db"),
        format!("{at}/share/app%2evestibule.test/vestibule.db"),
        format!("{at}/notes/link/vestibule.db"),
        format!("cat '{at}/notes/link/vestibule.db' | head"),
        format!("--out={at}/notes/link/x"),
        format!("{at}/notes/above/app.vestibule.test/x"),
        "~/share/app.vestibule.test/vestibule.db".into(),
        "~/notes/link".into(),
        "$HOME/notes/link".into(),
        "link/vestibule.db".into(),
        "./link".into(),
        "../share/../notes/link/x".into(),
        "$XDG_DATA_HOME/App.Vestibule.Test/vestibule.db".into(),
    ] {
        assert!(folders.within(&text, &bases).is_some(), "{text}");
    }
    for text in [
        format!("{at}/notes/a.md"),
        format!("{at}/share"),
        format!("{at}/share/app.vestibule"),
        "~/share/other".into(),
        "a text about a vestibule, and/or more ... of it".into(),
        "~ann/x".into(),
        String::new(),
    ] {
        assert_eq!(folders.within(&text, &bases), None, "{text}");
    }
}

#[test]
fn the_folder_of_the_server_itself_is_no_data_of_ours() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().canonicalize().unwrap().join("app.vestibule.test");
    let (working, other) = (own.join("servers/one"), own.join("servers/two"));
    std::fs::create_dir_all(&working).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    symlink(&other, working.join("link")).unwrap();
    let folders = OwnFolders::new(std::slice::from_ref(&own));
    let within = |text: &str, working: &Path| {
        let bases = Bases {
            home: None,
            working: Some(working.into()),
        };
        folders.within(text, &bases).is_some()
    };
    let at = working.display();
    for text in [
        "a.md",
        "./out/a.md",
        "a text",
        &format!("{at}/a.md"),
        &format!("cat '{at}/a b'"),
    ] {
        assert!(!within(text, &working), "{text}");
        assert!(
            within(&format!("{text} {}/x", other.display()), &working),
            "{text}"
        );
    }
    for text in [
        "..",
        "../two/a.md",
        "../../vestibule.db",
        "cat ../../*.db",
        "link/a.md",
        &format!("{at}/../../vestibule.db"),
        &format!("{at}/link/a.md"),
        &format!("{at}2/a.md"),
        &own.join("vestibule.db").display().to_string(),
    ] {
        assert!(within(text, &working), "{text}");
    }
    assert!(
        within("a.md", &own),
        "a folder that the user chose among our own data is no exception"
    );
}

#[test]
fn a_folder_of_another_name_is_found_by_its_path_alone() {
    let folder = tempfile::tempdir().unwrap();
    let own = folder.path().canonicalize().unwrap().join("data");
    std::fs::create_dir(&own).unwrap();
    let folders = OwnFolders::new(std::slice::from_ref(&own));
    let within = |text: &str| folders.within(text, &Bases::default()).is_some();
    assert!(within(&format!("rm -r {}", own.display())));
    assert!(within(&format!("{}/x", own.display())));
    assert!(!within(&format!("{}2/x", own.display())));
    assert!(!within("data"));
    assert!(OwnFolders::new(&["/".into(), "data".into()]).paths.is_empty());
}
