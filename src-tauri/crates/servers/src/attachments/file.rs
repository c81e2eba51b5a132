//! Reads a file that the user attaches. Only regular files are read, up to a limit; links are followed, because the user
//! picked what they lead to. A pipe or a device is recognised before it is opened, since opening alone can have an
//! effect, and opening never waits.

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

use vestibule_app_protocol::{AttachedPart, AttachmentFrom, AttachmentView, ContentView, InputProblem};
use vestibule_protocol::AttachmentId;

use super::file_kind::{MAX_PDF, MAX_PICTURE, MAX_TEXT, content, is_pdf, too_large};

/// The most bytes that are read of a file that is no PDF: one more than the largest may have.
const MAX_READ: usize = 1 + if MAX_PICTURE > MAX_TEXT {
    MAX_PICTURE
} else {
    MAX_TEXT
};
/// The longest name that is kept, in characters.
const LONGEST_NAME: usize = 255;

/// What is found at a path that the user picked.
#[derive(Debug)]
pub enum PickedFile {
    File(AttachmentView),
    /// A PDF, whose text is not read yet.
    Pdf(PdfFile),
    Folder,
}

/// A PDF as a file.
#[derive(Debug)]
pub struct PdfFile {
    /// Its name without the folder.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// Reads the file at a path as something attached.
///
/// # Errors
/// Where it cannot be read, is no regular file or folder, is too large, or is neither a picture nor a text nor a PDF.
pub fn read_file(path: &Path) -> Result<PickedFile, InputProblem> {
    let file = name_of(path);
    let unreadable = |error: io::Error| InputProblem::FileUnreadable {
        file: file.clone(),
        detail: error.to_string(),
    };
    if std::fs::metadata(path).map_err(unreadable)?.is_dir() {
        return Ok(PickedFile::Folder);
    }
    let Some(mut opened) = open_regular(path).map_err(unreadable)? else {
        return Err(InputProblem::FileNotRegular { file });
    };
    let size = opened.metadata().map_err(unreadable)?.len();
    let mut bytes = vec![];
    read_up_to(&mut opened, MAX_READ, &mut bytes).map_err(unreadable)?;
    if is_pdf(&bytes) {
        read_up_to(&mut opened, MAX_PDF + 1, &mut bytes).map_err(unreadable)?;
        return pdf(file, size, bytes).map(PickedFile::Pdf);
    }
    // A file may grow while it is read, and some files of the system claim no size.
    let size = size.max(bytes.len() as u64);
    let content = content(&file, size, bytes)?;
    Ok(PickedFile::File(attached(file, size, content)))
}

/// Reads on until there are so many bytes in all, or the file ends.
fn read_up_to(file: &mut File, most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let room = most.saturating_sub(bytes.len()) as u64;
    file.take(room).read_to_end(bytes).map(|_| ())
}

fn pdf(name: String, size: u64, bytes: Vec<u8>) -> Result<PdfFile, InputProblem> {
    if size.max(bytes.len() as u64) > MAX_PDF as u64 {
        return Err(too_large(&name, MAX_PDF));
    }
    Ok(PdfFile { name, bytes })
}

/// A picture of the clipboard as something attached.
///
/// # Errors
/// Where it is too large or no picture.
pub fn read_picture(name: &str, bytes: Vec<u8>) -> Result<AttachmentView, InputProblem> {
    let size = bytes.len() as u64;
    match content(name, size, bytes)? {
        content @ ContentView::Image { .. } => Ok(attached(name.to_owned(), size, content)),
        _ => Err(InputProblem::ClipboardWithoutPicture),
    }
}

/// A text of the clipboard as something attached.
///
/// # Errors
/// Where it is too large.
pub fn read_text(name: &str, text: String) -> Result<AttachmentView, InputProblem> {
    if text.len() > MAX_TEXT {
        return Err(too_large(name, MAX_TEXT));
    }
    let size = text.len() as u64;
    Ok(attached(name.to_owned(), size, ContentView::Text { text }))
}

fn attached(name: String, bytes: u64, content: ContentView) -> AttachmentView {
    let pages = None;
    of_file(AttachmentFrom::File { name, bytes, pages }, content)
}

/// A file as something attached.
pub(super) fn of_file(from: AttachmentFrom, content: ContentView) -> AttachmentView {
    AttachmentView {
        id: AttachmentId::new(),
        server: None,
        server_name: String::new(),
        from,
        parts: vec![AttachedPart { role: None, content }],
        cut_bytes: 0,
        changed: false,
    }
}

/// The name without the folder, which the model does not need.
fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    name.to_string_lossy().chars().take(LONGEST_NAME).collect()
}

/// Opens a regular file; `None` where it is anything else. It is looked at again once it is open, because another one may
/// have taken its place meanwhile.
fn open_regular(path: &Path) -> io::Result<Option<File>> {
    if !std::fs::metadata(path)?.is_file() {
        return Ok(None);
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(path: &Path) -> InputProblem {
        read_file(path).unwrap_err()
    }

    #[test]
    fn a_text_is_read_whole_and_named_without_its_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("notes.png");
        std::fs::write(&path, "Oslo\n").unwrap();
        let Ok(PickedFile::File(read)) = read_file(&path) else {
            panic!("not read")
        };
        let name = "notes.png".to_owned();
        assert_eq!(
            read.from,
            AttachmentFrom::File {
                name,
                bytes: 5,
                pages: None
            }
        );
        let text = "Oslo\n".to_owned();
        assert_eq!(read.parts[0].content, ContentView::Text { text });
        assert!(matches!(read_file(folder.path()), Ok(PickedFile::Folder)));
    }

    #[test]
    fn a_file_of_100_mb_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("film");
        File::create(&path).unwrap().set_len(100_000_000).unwrap();
        let film = InputProblem::FileTooLarge {
            file: "film".into(),
            limit_kb: 1024,
        };
        assert_eq!(refusal(&path), film);
    }

    #[test]
    fn what_is_not_there_is_refused() {
        let missing = refusal(Path::new("/nonexistent/a.txt"));
        assert!(matches!(&missing, InputProblem::FileUnreadable { file, .. } if file == "a.txt"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_a_device_and_links_to_them_are_refused_at_once() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        use std::os::unix::fs::symlink;
        use std::os::unix::net::UnixListener;
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        mknodat(CWD, at("pipe"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let _socket = UnixListener::bind(at("socket")).unwrap();
        symlink(at("pipe"), at("to pipe")).unwrap();
        symlink("/dev/zero", at("to device")).unwrap();
        for path in [
            at("pipe"),
            at("socket"),
            at("to pipe"),
            at("to device"),
            "/dev/zero".into(),
        ] {
            let refused = refusal(&path);
            assert!(
                matches!(refused, InputProblem::FileNotRegular { .. }),
                "{refused:?}"
            );
        }
        symlink(at("nowhere"), at("to nothing")).unwrap();
        let refused = refusal(&at("to nothing"));
        assert!(matches!(refused, InputProblem::FileUnreadable { .. }));
    }

    #[test]
    fn of_a_clipboard_only_a_picture_is_taken() {
        let gif = read_picture(
            "Pasted",
            b"GIF89a\x04\0\x03\0\0\0\0,\0\0\0\0\x04\0\x03\0\0\x02\x02\x44\x01\0\x3b".to_vec(),
        )
        .unwrap();
        assert!(gif.is_picture());
        let text = read_picture("Pasted", b"words".to_vec());
        assert_eq!(text.unwrap_err(), InputProblem::ClipboardWithoutPicture);
    }
}
