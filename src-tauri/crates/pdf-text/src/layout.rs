//! The glyphs of a page as lines of text. A PDF places single glyphs; spaces and line breaks follow from the distance
//! between a glyph and the one before it. The order is that of the file.

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::{BfString, WritingMode};
use hayro_interpret::kurbo::{Affine, BezPath, Point, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

/// The size of a glyph's own coordinates, in units of an em.
const EM: f64 = 1000.0;
/// The distance from which on two glyphs of a line are two words, in em.
const WORD_GAP: f64 = 0.16;
/// How far a glyph may be moved back in its line, in em; one that is further back begins a line.
const MOST_BACK: f64 = 0.6;
/// How far a glyph may be above or below its line, such as an exponent, in em.
const MOST_RAISED: f64 = 0.6;
/// The distance of lines from which on an empty line is between them, in em.
const PARAGRAPH: f64 = 1.9;
/// Two equal glyphs nearer than this are one that was drawn twice to look bold, in em.
const SAME_PLACE: f64 = 0.08;

/// The text of one page while it is interpreted.
pub(crate) struct PageText {
    text: String,
    /// The most bytes of the text.
    room: usize,
    is_full: bool,
    last: Option<PlacedGlyph>,
    readable: usize,
    unreadable: usize,
}

/// Where a glyph is, and what it says.
struct PlacedGlyph {
    /// From the page to the glyph's own coordinates.
    from_page: Affine,
    /// Its origin on the page.
    origin: Point,
    /// How far the next one of its word is, along the line, in em.
    advance: f64,
    is_vertical: bool,
    characters: String,
}

/// What is between two glyphs.
enum Gap {
    /// Both are the same one, drawn twice.
    Same,
    None,
    Space,
    Line,
    Paragraph,
}

impl PageText {
    pub(crate) fn with_room(room: usize) -> Self {
        Self {
            text: String::new(),
            room,
            is_full: false,
            last: None,
            readable: 0,
            unreadable: 0,
        }
    }

    pub(crate) fn text(&self) -> &str {
        self.text.trim_end()
    }

    /// Whether the page has more text than there was room for.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full
    }

    /// How many glyphs had characters.
    pub(crate) fn readable(&self) -> usize {
        self.readable
    }

    /// How many glyphs had none.
    pub(crate) fn unreadable(&self) -> usize {
        self.unreadable
    }

    fn add(&mut self, glyph: PlacedGlyph) {
        match self.last.as_ref().map_or(Gap::None, |last| gap(last, &glyph)) {
            Gap::Same => return,
            Gap::None => {}
            Gap::Space => self.add_space(&glyph.characters),
            Gap::Line => self.add_lines("\n"),
            Gap::Paragraph => self.add_lines("\n\n"),
        }
        if self.text.len() + glyph.characters.len() > self.room {
            self.is_full = true;
            return;
        }
        self.text.push_str(&glyph.characters);
        self.last = Some(glyph);
    }

    /// Adds a space, but not beside another one, at the beginning of a line, or between Chinese or Japanese characters.
    fn add_space(&mut self, next: &str) {
        let (before, after) = (self.text.chars().next_back(), next.chars().next());
        let is_space = |one: Option<char>| one.is_none_or(char::is_whitespace);
        let is_dense = |one: Option<char>| one.is_some_and(|one| ('\u{2e80}'..='\u{9fff}').contains(&one));
        let is_needless = is_space(before) || is_space(after) || is_dense(before) && is_dense(after);
        if !is_needless {
            self.text.push(' ');
        }
    }

    fn add_lines(&mut self, breaks: &str) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        if !self.text.is_empty() {
            self.text.push_str(breaks);
        }
    }

    fn count(&mut self, characters: &str) {
        if characters.contains('\u{fffd}') {
            self.unreadable += 1;
        } else if !characters.trim().is_empty() {
            self.readable += 1;
        }
    }
}

impl Device<'_> for PageText {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, '_>, props: DrawProps<'_>, _: &DrawMode) {
        let is_vertical = matches!(run.writing_mode(), WritingMode::Vertical);
        for glyph in run.glyphs() {
            if self.is_full {
                return;
            }
            let to_page = props.transform * glyph.transform();
            // A glyph of no size cannot be compared with others.
            if !(to_page.determinant().abs() > f64::MIN_POSITIVE && to_page.is_finite()) {
                continue;
            }
            let characters = characters_of(glyph);
            self.count(&characters);
            self.add(PlacedGlyph {
                from_page: to_page.inverse(),
                origin: to_page * Point::ZERO,
                advance: if is_vertical { 1.0 } else { advance_of(glyph) },
                is_vertical,
                characters,
            });
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'_>, _: &DrawMode) {}
    fn push_clip_path(&mut self, _: &ClipPath) {}
    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'_>>, _: BlendMode) {}
    fn draw_image(&mut self, _: Image<'_, '_>, _: ImageDrawProps<'_>) {}
    fn pop_clip(&mut self) {}
    fn pop_transparency_group(&mut self) {}
}

/// The characters of a glyph; U+FFFD where its font does not say which. Control characters are left out.
fn characters_of(glyph: &Glyph<'_>) -> String {
    let characters = match glyph.as_unicode() {
        Some(BfString::Char(one)) => one.to_string(),
        Some(BfString::String(several)) => several,
        None => '\u{fffd}'.to_string(),
    };
    let printed = |one: char| if one == '\u{a0}' { ' ' } else { one };
    characters
        .chars()
        .filter(|one| !one.is_control())
        .map(printed)
        .collect()
}

/// How far the next glyph of a word is, in em.
fn advance_of(glyph: &Glyph<'_>) -> f64 {
    let advance = match glyph {
        Glyph::Outline(outline) => outline.advance_width(),
        Glyph::Type3(drawn) => drawn.advance_width(),
    };
    advance.map_or(0.5, |advance| f64::from(advance) / EM)
}

fn gap(last: &PlacedGlyph, next: &PlacedGlyph) -> Gap {
    let [a, b, c, d, _, _] = last.from_page.as_coeffs();
    let on_page: Vec2 = next.origin - last.origin;
    let moved = Vec2::new(a * on_page.x + c * on_page.y, b * on_page.x + d * on_page.y) / EM;
    let (along, across) = match last.is_vertical {
        true => (-moved.y, moved.x),
        false => (moved.x, moved.y),
    };
    if last.characters == next.characters && along.abs() < SAME_PLACE && across.abs() < SAME_PLACE {
        Gap::Same
    } else if across.abs() > PARAGRAPH {
        Gap::Paragraph
    } else if across.abs() > MOST_RAISED || along - last.advance < -MOST_BACK {
        Gap::Line
    } else if along - last.advance > WORD_GAP {
        Gap::Space
    } else {
        Gap::None
    }
}
