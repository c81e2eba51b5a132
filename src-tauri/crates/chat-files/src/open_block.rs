//! Words of the user and of models are written as Markdown as they are. Where they leave a block open, such as code without
//! an end, what follows becomes a part of it, and the fence before a result closes it, so that the result is no longer in a
//! fence. Here such a block is closed. The rules are those of CommonMark. A list or a quote ends by itself, with
//! all in it, where the next line does not belong to it; so only blocks outside of them count. Where it is not certain how
//! a line is read, lines are added that close a block if there is one.

/// The lines that close what a text leaves open, to stand right after it. Empty where it leaves nothing open.
pub(crate) fn closing(text: &str) -> String {
    let mut walker = BlockWalker::default();
    for line in text.replace("\r\n", "\n").split(['\n', '\r']) {
        if !walker.read(line) {
            return closing_anything(text);
        }
    }
    match walker.fence {
        Some(fence) => format!("\n{}", fence.line()),
        None => String::new(),
    }
}

/// The longest run of a character.
pub(crate) fn longest_run(text: &str, character: char) -> usize {
    text.split(|c| c != character).map(str::len).max().unwrap_or(0)
}

/// Closes whatever may be open, and changes nothing for what follows where nothing is. The comment is one of its own, or it
/// ends any block of HTML. A fence with a word behind it opens a block or is content, but never closes one; so a block is
/// open after it in either case, and the next line closes that.
fn closing_anything(text: &str) -> String {
    let mut closing = String::new();
    if text.contains('<') {
        closing.push_str("\n\n<!-- </pre> ?> ]]> -->");
    }
    for character in ['`', '~'] {
        let length = longest_run(text, character);
        if length >= 3 {
            let fence = Fence { character, length }.line();
            closing.push_str(&format!("\n\n{fence}text\n{fence}"));
        }
    }
    closing
}

#[derive(Clone, Copy)]
struct Fence {
    character: char,
    length: usize,
}

impl Fence {
    /// The fence that this line begins with, and what stands after it.
    fn of(line: &str) -> Option<(Self, &str)> {
        let character = line.chars().next().filter(|c| matches!(c, '`' | '~'))?;
        let after = line.trim_start_matches(character);
        let length = line.len() - after.len();
        (length >= 3).then_some((Self { character, length }, after))
    }

    /// The fence of a block that begins here.
    fn opening(line: &str) -> Option<Self> {
        let (fence, after) = Self::of(line)?;
        (fence.character == '~' || !after.contains('`')).then_some(fence)
    }

    fn is_closed_by(self, line: &str) -> bool {
        Self::of(line).is_some_and(|(other, after)| {
            other.character == self.character
                && other.length >= self.length
                && after.trim_matches([' ', '\t']).is_empty()
        })
    }

    fn line(self) -> String {
        self.character.to_string().repeat(self.length)
    }
}

/// The outermost item of a list in which the next line may be.
#[derive(Clone, Copy, PartialEq)]
enum ListItem {
    None,
    /// Lines that are indented by this many columns belong to it.
    Open(usize),
    /// There may be one.
    Possible,
}

/// Finds out line by line whether code or HTML is open outside of lists and quotes.
struct BlockWalker {
    fence: Option<Fence>,
    item: ListItem,
    /// Whether the lines up to the next empty one may be HTML.
    in_html: bool,
    after_empty: bool,
}

impl Default for BlockWalker {
    fn default() -> Self {
        Self {
            fence: None,
            item: ListItem::None,
            in_html: false,
            after_empty: true,
        }
    }
}

impl BlockWalker {
    /// Reads a line. Returns `false` where it is not certain what it opens.
    fn read(&mut self, line: &str) -> bool {
        let text = line.trim_start_matches(' ');
        let indent = line.len() - text.len();
        if let Some(fence) = self.fence {
            if indent < 4 && fence.is_closed_by(text) {
                self.fence = None;
                self.after_empty = true;
            }
            return true;
        }
        if line.trim_matches([' ', '\t']).is_empty() {
            self.in_html = false;
            self.after_empty = true;
            return true;
        }
        let after_empty = std::mem::take(&mut self.after_empty);
        // A tab reaches to the fourth column, where neither begins.
        if indent > 3
            || text.starts_with('\t')
            || matches!(self.item, ListItem::Open(least) if indent >= least)
        {
            return true;
        }
        if let Some(fence) = Fence::opening(text) {
            return self.open(fence, indent);
        }
        self.item = self.item_after(text, indent, after_empty);
        self.in_html |= text.starts_with('<');
        !opens_html(text)
    }

    fn open(&mut self, fence: Fence, indent: usize) -> bool {
        if self.in_html || (self.item == ListItem::Possible && indent > 0) {
            return false;
        }
        self.fence = Some(fence);
        self.item = ListItem::None;
        true
    }

    /// The item in which the next line may be, after a line that is not in the one before.
    fn item_after(&self, text: &str, indent: usize, after_empty: bool) -> ListItem {
        if self.item == ListItem::Possible && indent > 0 {
            return ListItem::Possible;
        }
        let in_list = matches!(self.item, ListItem::Open(_));
        match ItemStart::of(text) {
            Some(ItemStart {
                width: Some(width),
                ends_paragraph,
            }) if !self.in_html && (after_empty || in_list || ends_paragraph) => {
                ListItem::Open(indent + width)
            }
            Some(_) => ListItem::Possible,
            None if after_empty || self.item == ListItem::None => ListItem::None,
            // It may go on with the last paragraph of the item.
            None => ListItem::Possible,
        }
    }
}

/// Whether HTML begins here that an empty line does not end, and it does not end in this line as a comment does.
fn opens_html(text: &str) -> bool {
    let is_whole = text.starts_with("<!--") && text.contains("-->");
    let starts = ["<!", "<?", "<pre", "<script", "<style", "<textarea"];
    let begins = |start: &&str| {
        text.get(..start.len())
            .is_some_and(|text| text.eq_ignore_ascii_case(start))
    };
    !is_whole && starts.iter().any(begins)
}

/// What may be the first line of an item of a list.
struct ItemStart {
    /// How wide the marker is with the spaces after it; `None` where it is not certain that an item begins.
    width: Option<usize>,
    /// Whether an item begins also where a paragraph is open. Other numbers than 1 are words there.
    ends_paragraph: bool,
}

impl ItemStart {
    fn of(text: &str) -> Option<Self> {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, after) = text.split_at(digits);
        let after = if number.is_empty() {
            after.strip_prefix(['-', '+', '*'])
        } else {
            after.strip_prefix(['.', ')'])
        }?;
        if !(after.is_empty() || after.starts_with([' ', '\t'])) {
            return None;
        }
        let words = after.trim_start_matches(' ');
        let spaces = after.len() - words.len();
        // A line of markers only is a rule between paragraphs.
        let is_rule = text.chars().all(|c| matches!(c, '-' | '*' | ' ' | '\t'));
        let is_item = (1..=4).contains(&spaces) && !words.is_empty() && !words.starts_with('\t');
        Some(Self {
            width: (is_item && !is_rule && digits < 10).then_some(text.len() - words.len()),
            ends_paragraph: number.is_empty() || number == "1",
        })
    }
}
