use super::*;

/// A PDF with these objects, numbered from 1; the first one is the catalogue. Streams have the length they claim.
fn pdf(objects: &[String]) -> Vec<u8> {
    let mut file = b"%PDF-1.7\n".to_vec();
    let mut offsets = vec![];
    for (index, object) in objects.iter().enumerate() {
        offsets.push(file.len());
        file.extend(format!("{} 0 obj\n{object}\nendobj\n", index + 1).bytes());
    }
    let table = file.len();
    file.extend(format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1).bytes());
    for offset in offsets {
        file.extend(format!("{offset:010} 00000 n \n").bytes());
    }
    let size = objects.len() + 1;
    file.extend(format!("trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n").bytes());
    file
}

fn stream(content: &str) -> String {
    format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len())
}

/// A PDF with a page for each content, in Helvetica.
fn pages(contents: &[&str]) -> Vec<u8> {
    let kids: Vec<String> = (0..contents.len())
        .map(|page| format!("{} 0 R", 4 + 2 * page))
        .collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!(
            "<< /Type /Pages /Count {} /Kids [{}] >>",
            contents.len(),
            kids.join(" ")
        ),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>".to_owned(),
    ];
    for (page, content) in contents.iter().enumerate() {
        let media = "/MediaBox [0 0 595 842] /Resources << /Font << /F1 3 0 R >> >>";
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R {media} /Contents {} 0 R >>",
            5 + 2 * page
        ));
        objects.push(stream(content));
    }
    pdf(&objects)
}

fn read(contents: &[&str]) -> Result<String, NotRead> {
    text_of(pages(contents), 1000).map(|read| read.text)
}

#[test]
fn words_lines_and_paragraphs_follow_from_where_the_glyphs_are() {
    let content =
        "BT /F1 12 Tf 50 800 Td (Train at nine.) Tj 0 -14 Td [(To) -400 (day)] TJ 0 -40 Td (Oslo) Tj ET";
    assert_eq!(read(&[content]).unwrap(), "Train at nine.\nTo day\n\nOslo\n");
    let kerned = "BT /F1 12 Tf 50 800 Td [(W) 80 (ater)] TJ 4 5 Td /F1 7 Tf ET";
    assert_eq!(read(&[kerned]).unwrap(), "Water\n");
}

#[test]
fn a_page_has_its_number_where_there_are_several_and_one_without_text_says_so() {
    let text = |words: &str| format!("BT /F1 12 Tf 50 800 Td ({words}) Tj ET");
    let read = text_of(pages(&[&text("one"), "0 0 10 10 re f", &text("three")]), 1000).unwrap();
    assert_eq!(read.pages, 3);
    assert_eq!(
        read.text,
        "[page 1]\none\n\n[page 2: no text]\n\n[page 3]\nthree\n"
    );
}

#[test]
fn text_that_a_viewer_does_not_show_is_read_so_that_the_user_sees_it() {
    let content = "BT /F1 12 Tf 50 800 Td (Seen) Tj 3 Tr 0 -14 Td (hidden) Tj ET BT 0 Tr 1 1 1 rg /F1 1 Tf 50 9000 Td (far away) Tj ET";
    let text = read(&[content]).unwrap();
    for words in ["Seen", "hidden", "far away"] {
        assert!(text.contains(words), "{text}");
    }
}

#[test]
fn a_glyph_that_is_drawn_twice_to_look_bold_is_read_once() {
    let content = "BT /F1 12 Tf 50 800 Td (O) Tj 0.2 0 Td (O) Tj 9.2 0 Td (slo) Tj ET";
    assert_eq!(read(&[content]).unwrap(), "Oslo\n");
}

#[test]
fn a_scan_and_an_empty_page_have_no_text() {
    assert_eq!(read(&["0 0 100 100 re f"]), Err(NotRead::NoText));
    assert_eq!(read(&[""]), Err(NotRead::NoText));
}

#[test]
fn more_text_than_is_wanted_is_refused() {
    let words = "BT /F1 12 Tf 50 800 Td (words and words) Tj ET ".repeat(20);
    assert_eq!(text_of(pages(&[&words]), 100), Err(NotRead::TooLong));
    assert!(text_of(pages(&[&words]), 1000).is_ok());
    let many = vec!["BT /F1 12 Tf 50 800 Td (a) Tj ET"; 30];
    assert_eq!(text_of(pages(&many), 100), Err(NotRead::TooLong));
}

#[test]
fn a_file_with_a_password_says_so() {
    let trailer = "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) /U (bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb) >> /ID [(a) (a)] >>";
    let file = pages(&["BT ET"]);
    let text = String::from_utf8(file).unwrap();
    let locked = text.replace("/Root 1 0 R >>", &format!("/Root 1 0 R {trailer}"));
    assert_eq!(text_of(locked.into_bytes(), 1000), Err(NotRead::Encrypted));
}

/// A sequence that looks random and is always the same.
fn noise(seed: &mut u32) -> u8 {
    *seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
    (*seed >> 24) as u8
}

#[test]
fn damaged_files_are_refused_or_read_within_the_limit() {
    let good = pages(&["BT /F1 12 Tf 50 800 Td (Train at nine.) Tj ET", "q Q"]);
    let mut seed = 1;
    for cut in [0, 1, 8, 200] {
        assert!(text_of(good[..cut].to_vec(), 1000).is_err(), "{cut}");
    }
    for _ in 0..300 {
        let mut damaged = good.clone();
        let at = (usize::from(noise(&mut seed)) << 8 | usize::from(noise(&mut seed))) % damaged.len();
        damaged[at] = noise(&mut seed);
        if let Ok(read) = text_of(damaged, 1000) {
            assert!(read.text.len() <= 1000);
        }
    }
}
