//! The text of a PDF that the user attaches: read in a process of its own, shown, and sent as it was shown. What cannot be
//! read is refused in words, and nothing ends but that process.

use std::path::PathBuf;

use vestibule_host::view::{
    AttachmentFrom, AttachmentView, ContentView, FilesAttached, InputProblem, Problem,
};
use vestibule_protocol::ChatId;
use vestibule_tests::{Scene, Turn};

/// A PDF with one page of this content, whose stream and whose trailer have these further entries.
fn pdf_with(entries: &str, trailer: &str, content: &[u8]) -> Vec<u8> {
    pdf_of("", &[stream(entries, content)], trailer)
}

/// A PDF with one page. Its font has these further entries; of the streams the first is the content of the page.
fn pdf_of(font: &str, streams: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let media = "/MediaBox [0 0 595 842] /Resources << /Font << /F1 4 0 R >> >>";
    let dictionaries = [
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        "<< /Type /Pages /Count 1 /Kids [3 0 R] >>".to_owned(),
        format!("<< /Type /Page /Parent 2 0 R {media} /Contents 5 0 R >>"),
        format!("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica {font} >>"),
    ];
    let mut objects: Vec<Vec<u8>> = dictionaries.map(String::into_bytes).into();
    objects.extend_from_slice(streams);
    let mut file = b"%PDF-1.7".to_vec();
    let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for (index, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", file.len() + 1));
        file.extend(format!("\n{} 0 obj\n", index + 1).bytes());
        file.extend(object);
        file.extend(b"\nendobj");
    }
    let (start, size) = (file.len() + 1, objects.len() + 1);
    let end =
        format!("\n{table}trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n");
    file.extend(end.bytes());
    file
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {entries} >>\nstream\n", content.len());
    [head.as_bytes(), content, b"\nendstream"].concat()
}

/// A PDF whose one letter is drawn so often and stands for a hundred letters each time, as a ligature stands for several.
fn pdf_of_ligatures(count: usize) -> Vec<u8> {
    let meaning = "0061".repeat(100);
    let map = format!(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /L def 1 begincodespacerange <00> <FF> \
         endcodespacerange 1 beginbfchar <77> <{meaning}> endbfchar endcmap end end"
    );
    let content = format!("BT /F1 12 Tf 50 800 Td ({}) Tj ET", "w".repeat(count));
    let streams = [stream("", content.as_bytes()), stream("", map.as_bytes())];
    pdf_of("/ToUnicode 6 0 R", &streams, "")
}

fn pdf(entries: &str, content: &[u8]) -> Vec<u8> {
    pdf_with(entries, "", content)
}

fn text(words: &str) -> Vec<u8> {
    pdf("", format!("BT /F1 12 Tf 50 800 Td ({words}) Tj ET").as_bytes())
}

async fn attach(scene: &Scene, chat: ChatId, name: &str, content: &[u8]) -> FilesAttached {
    let path: PathBuf = scene.folder().join(name);
    std::fs::write(&path, content).unwrap();
    scene.host.attach_files(chat, vec![path]).await.unwrap()
}

async fn read(scene: &Scene, chat: ChatId, name: &str, content: &[u8]) -> AttachmentView {
    let files = attach(scene, chat, name, content).await;
    assert_eq!(files.refused, []);
    files.attached.into_iter().next().unwrap()
}

#[tokio::test]
async fn the_text_of_a_pdf_is_shown_and_reaches_the_model_as_it_was_shown() {
    let scene = Scene::new().await;
    let (chat, mut model) = scene.scripted_chat().await;
    let file = text("Train at nine.");
    let attached = read(&scene, chat, "trip.pdf", &file).await;
    let from = AttachmentFrom::File {
        name: "trip.pdf".into(),
        bytes: file.len() as u64,
        pages: Some(1),
    };
    assert_eq!(attached.from, from);
    let words = ContentView::Text {
        text: "Train at nine.\n".into(),
    };
    assert_eq!(attached.parts[0].content, words);
    model.will(Turn::words("At nine."));
    scene.say_with(chat, "When?", &[attached.id]).await;
    let told = model.asked().await["messages"].to_string();
    assert!(told.contains("the text of the PDF \\\"trip.pdf\\\""), "{told}");
    assert!(told.contains("| Train at nine."), "{told}");
    scene.finished(chat).await;
    scene.close().await;
}

#[tokio::test]
async fn a_pdf_that_cannot_be_read_is_refused_with_its_reason() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let locked = "/ID [(a) (a)] /Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 \
         /O (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) /U (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb) >>";
    let file = || "a.pdf".to_owned();
    for (content, reason) in [
        (
            pdf_with("", locked, b"BT ET"),
            InputProblem::PdfEncrypted { file: file() },
        ),
        (
            b"%PDF-1.7\nno objects".to_vec(),
            InputProblem::PdfDamaged { file: file() },
        ),
        (
            pdf("", b"0 0 100 100 re f"),
            InputProblem::PdfWithoutText { file: file() },
        ),
        (
            pdf_of_ligatures(11_000),
            InputProblem::PdfTooLong {
                file: file(),
                limit_kb: 1024,
            },
        ),
    ] {
        let refused = attach(&scene, chat, "a.pdf", &content).await.refused;
        assert_eq!(refused, [Problem::Input(reason)]);
    }
    scene.close().await;
}

/// Runs of one byte, encoded so often that a kilobyte becomes more than a computer has: each decoding makes 64 times as
/// much. What follows the runs is the end of the data, as each further decoding needs it.
fn bomb(filters: usize) -> Vec<u8> {
    const END: u8 = 128;
    let end = (1..filters).fold(vec![END], |end, _| {
        [&[end.len() as u8 - 1], &end[..], &[END]].concat()
    });
    [vec![0x81; 1000], end].concat()
}

#[tokio::test]
async fn a_pdf_that_unpacks_to_more_than_the_memory_ends_its_process_alone() {
    let scene = Scene::new().await;
    let chat = scene.chat().await;
    let filters = format!("/Filter [{}]", "/RunLengthDecode ".repeat(6));
    let bomb = attach(&scene, chat, "bomb.pdf", &pdf(&filters, &bomb(6))).await;
    let reason = InputProblem::PdfTooComplex {
        file: "bomb.pdf".into(),
    };
    assert_eq!(bomb.refused, [Problem::Input(reason)]);
    read(&scene, chat, "good.pdf", &text("Oslo")).await;
    scene.close().await;
}
