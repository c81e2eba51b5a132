//! The pictures of a request: the newest ones, each made small enough. The others are replaced by a sentence. A server chose
//! their bytes, so they are decoded in a process of the guard's program and never here.

mod scaler;
mod stored;

use vestibule_models::{ModelMessage, ResultPart};

use crate::view::Settings;
pub(crate) use scaler::PictureScaler;
pub(crate) use stored::read_stored;

/// The most bytes of all pictures in a request; in base64 they are a third more.
const MAX_BYTES: usize = 2_700_000;
/// Pictures that the model has not seen are sent also where the user wants fewer again, up to so many.
const MAX_UNSEEN: usize = 8;

/// How the user wants pictures in requests.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PictureSettings {
    /// The longest edge, in pixels.
    pub(crate) edge: u32,
    /// How many are sent again.
    pub(crate) sent: usize,
}

impl From<&Settings> for PictureSettings {
    fn from(settings: &Settings) -> Self {
        Self {
            edge: settings.picture_edge,
            sent: settings.pictures_sent.clamp(1, 16) as usize,
        }
    }
}

impl PictureSettings {
    /// The most bytes of one picture. Independent of how many there are, so that a picture is sent alike each time.
    fn bytes_each(self) -> usize {
        MAX_BYTES / self.sent.max(MAX_UNSEEN)
    }
}

/// Replaces all pictures but the newest by a sentence. They are replaced several at a time, so that the beginning of most
/// requests is that of the one before, which the vendor has in its cache.
pub(crate) fn keep_newest(messages: &mut [ModelMessage], settings: PictureSettings) {
    let counts: Vec<usize> = messages
        .iter_mut()
        .map(|message| pictures_of(message).count())
        .collect();
    let seen_to = messages
        .iter()
        .rposition(|message| matches!(message, ModelMessage::Assistant { .. }));
    let unseen = counts[seen_to.map_or(0, |last| last + 1)..].iter().sum();
    let left_out = left_out(counts.iter().sum(), unseen, settings.sent);
    for part in messages.iter_mut().flat_map(pictures_of).take(left_out) {
        if let ResultPart::Image { mime, .. } = part {
            *part = ResultPart::Text(format!(
                "[a picture ({mime}) stood here; it is left out because only the newest pictures of a chat are sent again]"
            ));
        }
    }
}

/// How many of all pictures are left out: in steps of half of those that are sent again, but none of those that the model
/// has not seen, as far as they fit.
fn left_out(all: usize, unseen: usize, sent: usize) -> usize {
    let step = (sent / 2).max(1);
    let over = all.saturating_sub(sent).div_ceil(step) * step;
    let kept = all.saturating_sub(over).max(unseen.min(MAX_UNSEEN));
    all - kept.min(all)
}

/// How many pictures messages have.
pub(super) fn pictures_in(messages: &[ModelMessage]) -> usize {
    let parts = messages.iter().flat_map(|message| match message {
        ModelMessage::UserParts { parts } | ModelMessage::ToolResult { parts, .. } => parts.as_slice(),
        ModelMessage::User { .. } | ModelMessage::Assistant { .. } => &[],
    });
    parts
        .filter(|part| matches!(part, ResultPart::Image { .. }))
        .count()
}

/// The pictures of a message.
fn pictures_of(message: &mut ModelMessage) -> impl Iterator<Item = &mut ResultPart> {
    let parts: &mut [ResultPart] = match message {
        ModelMessage::UserParts { parts } | ModelMessage::ToolResult { parts, .. } => parts,
        ModelMessage::User { .. } | ModelMessage::Assistant { .. } => &mut [],
    };
    parts
        .iter_mut()
        .filter(|part| matches!(part, ResultPart::Image { .. }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is left out changes with every second picture only.
    #[test]
    fn the_newest_pictures_stay_and_the_others_leave_in_steps() {
        let left: Vec<usize> = (0..10).map(|all| left_out(all, 1.min(all), 4)).collect();
        assert_eq!(left, [0, 0, 0, 0, 0, 2, 2, 4, 4, 6]);
        assert_eq!(left_out(20, 1, 4), 16);
        assert_eq!(left_out(3, 1, 1), 2);
    }

    #[test]
    fn pictures_that_the_model_has_not_seen_are_sent_as_far_as_there_is_room() {
        assert_eq!(left_out(6, 6, 4), 0);
        assert_eq!(left_out(7, 6, 4), 1);
        assert_eq!(left_out(20, 20, 4), 12);
    }

    #[test]
    fn a_picture_that_is_left_out_is_named() {
        let picture = || ResultPart::Image {
            mime: "image/png".into(),
            base64: "AAAA".into(),
        };
        let said = |text: &str| ModelMessage::Assistant {
            text: text.into(),
            calls: vec![],
            native: None,
        };
        let given = || ModelMessage::UserParts {
            parts: vec![ResultPart::Text("look".into()), picture()],
        };
        let mut messages = [given(), said("a"), given(), said("b")];
        keep_newest(&mut messages, PictureSettings { edge: 100, sent: 1 });
        let ModelMessage::UserParts { parts } = &messages[0] else {
            panic!()
        };
        assert!(matches!(&parts[1], ResultPart::Text(text) if text.contains("left out")));
        assert_eq!(messages[2], given());
    }
}
