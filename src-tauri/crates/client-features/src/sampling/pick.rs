//! Which of the user's models answers a server. A hint is part of a name; without one that fits, what the server
//! finds important is weighed against what is known of each model: its price, whether it runs here, and the size
//! its name tells. It is a proposal: the card says why, and the user may choose another.

use vestibule_consent::{PickReason, SampleModel, SamplePriority};
use vestibule_protocol::ModelId;

use super::read::Priorities;

/// A model that can be asked.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// As the card shows it.
    pub(crate) shown: SampleModel,
    /// What it is called at its address.
    pub(crate) name: String,
    /// Its address; `None` for the script.
    pub(crate) address: Option<String>,
    /// Whether it runs on this computer.
    pub(crate) here: bool,
    /// Whether it is the script.
    pub(crate) scripted: bool,
}

/// The model to propose, and why. `None` without any model.
pub(crate) fn pick(
    candidates: &[Candidate],
    usual: ModelId,
    hints: &[String],
    priorities: Priorities,
) -> Option<(ModelId, PickReason)> {
    let is_usual = |candidate: &&Candidate| candidate.shown.id == usual;
    // The user's usual model comes first wherever several fit.
    let real = candidates.iter().filter(|candidate| !candidate.scripted);
    let (mut real, others): (Vec<&Candidate>, Vec<&Candidate>) = real.partition(is_usual);
    real.extend(others);
    if let Some(picked) = by_hint(&real, hints).or_else(|| by_priority(&real, priorities)) {
        return Some(picked);
    }
    match (candidates.iter().find(is_usual), candidates) {
        (_, [only]) => Some((only.shown.id, PickReason::Only)),
        (Some(usual), _) => Some((usual.shown.id, PickReason::Usual)),
        (None, [first, ..]) => Some((real.first().unwrap_or(&first).shown.id, PickReason::Usual)),
        (None, []) => None,
    }
}

/// The first model that fits the first hint that any fits.
fn by_hint(models: &[&Candidate], hints: &[String]) -> Option<(ModelId, PickReason)> {
    hints.iter().find_map(|hint| {
        let found = models.iter().find(|candidate| candidate.fits(hint))?;
        Some((found.shown.id, PickReason::Hint { hint: hint.clone() }))
    })
}

/// Of several models the one that is worth most by what the server finds important.
fn by_priority(models: &[&Candidate], priorities: Priorities) -> Option<(ModelId, PickReason)> {
    let first = priorities.first().filter(|_| models.len() > 1)?;
    let best = models.iter().copied().reduce(|best, other| {
        // A difference too small to mean anything does not change the usual model.
        if other.worth(priorities) > best.worth(priorities) + 0.01 {
            other
        } else {
            best
        }
    })?;
    Some((best.shown.id, PickReason::Priority { first }))
}

impl Priorities {
    /// What counts most; `None` where nothing was said.
    fn first(self) -> Option<SamplePriority> {
        let ranked = [
            (self.intelligence, SamplePriority::Intelligence),
            (self.cost, SamplePriority::Cost),
            (self.speed, SamplePriority::Speed),
        ];
        let best = ranked
            .into_iter()
            .reduce(|best, other| if other.0 > best.0 { other } else { best })?;
        (best.0 > 0.0).then_some(best.1)
    }
}

impl Candidate {
    fn fits(&self, hint: &str) -> bool {
        let hint = hint.trim().to_lowercase();
        self.name.to_lowercase().contains(&hint) || self.shown.label.to_lowercase().contains(&hint)
    }

    fn worth(&self, priorities: Priorities) -> f64 {
        let able = self.ability();
        priorities.cost * self.thrift() + priorities.speed * (1.0 - able) + priorities.intelligence * able
    }

    /// How little it costs, from 0 to 1: nothing here on this computer, elsewhere by its price.
    fn thrift(&self) -> f64 {
        let price = match (self.shown.price_in, self.shown.price_out) {
            (None, None) => return if self.here { 1.0 } else { 0.5 },
            (read, written) => f64::from(read.unwrap_or(0)) + f64::from(written.unwrap_or(0)),
        };
        // Ten of the user's currency for a million tokens is in the middle.
        1.0 / (1.0 + price / 10_000_000.0)
    }

    /// How capable it probably is, from 0 to 1, by the size in its name. The larger, the slower.
    fn ability(&self) -> f64 {
        (self.size().max(1.0).ln() / 400_f64.ln()).clamp(0.0, 1.0)
    }

    /// In thousands of millions of parameters.
    fn size(&self) -> f64 {
        let name = self.name.to_lowercase();
        let words = || name.split(|c: char| !(c.is_alphanumeric() || c == '.'));
        let told = words().filter_map(|word| word.strip_suffix('b')?.parse::<f64>().ok());
        if let Some(size) = told.reduce(f64::max) {
            return size;
        }
        let has = |kinds: &[&str]| words().any(|word| kinds.contains(&word));
        if has(&[
            "nano", "tiny", "mini", "flash", "haiku", "small", "lite", "instant",
        ]) {
            8.0
        } else if has(&["opus", "large", "pro", "max", "ultra", "heavy"]) {
            300.0
        } else if self.here {
            8.0
        } else {
            100.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(name: &str, here: bool, price: Option<u32>) -> Candidate {
        Candidate {
            shown: SampleModel {
                id: ModelId::new(),
                label: format!("My {name}"),
                at: Some("somewhere".into()),
                price_in: price,
                price_out: price,
                currency: vestibule_app_protocol::Currency::DOLLAR,
            },
            name: name.into(),
            address: Some("http://somewhere/v1".into()),
            here,
            scripted: false,
        }
    }

    fn script() -> Candidate {
        Candidate {
            scripted: true,
            ..candidate("", true, None)
        }
    }

    const NOTHING: Priorities = Priorities {
        cost: 0.0,
        speed: 0.0,
        intelligence: 0.0,
    };

    fn picked(
        candidates: &[Candidate],
        usual: usize,
        hints: &[&str],
        priorities: Priorities,
    ) -> (usize, PickReason) {
        let hints: Vec<String> = hints.iter().map(|hint| (*hint).to_owned()).collect();
        let (id, reason) = pick(candidates, candidates[usual].shown.id, &hints, priorities).unwrap();
        let place = candidates.iter().position(|candidate| candidate.shown.id == id);
        (place.unwrap(), reason)
    }

    /// SA-012: hints are parts of names, tried in their order.
    #[test]
    fn the_first_hint_that_fits_decides() {
        let models = [
            script(),
            candidate("llama3.1:8b", true, None),
            candidate("claude-sonnet-5", false, None),
        ];
        let (place, reason) = picked(&models, 1, &["gpt", "Sonnet", "llama"], NOTHING);
        assert_eq!(place, 2);
        assert_eq!(
            reason,
            PickReason::Hint {
                hint: "Sonnet".into()
            }
        );
        assert_eq!(picked(&models, 1, &["gpt"], NOTHING), (1, PickReason::Usual));
    }

    #[test]
    fn of_two_that_fit_a_hint_the_usual_one_is_asked() {
        let models = [
            candidate("qwen3-8b", true, None),
            candidate("qwen3-32b", true, None),
        ];
        assert_eq!(picked(&models, 1, &["qwen"], NOTHING).0, 1);
    }

    /// SA-012: what the server finds important is weighed where no hint fits.
    #[test]
    fn each_priority_finds_its_model() {
        let models = [
            candidate("qwen3:4b", true, None),
            candidate("mini", false, Some(400_000)),
            candidate("opus", false, Some(40_000_000)),
        ];
        let only = |cost, speed, intelligence| Priorities {
            cost,
            speed,
            intelligence,
        };
        for (priorities, place, first) in [
            (only(1.0, 0.0, 0.0), 0, SamplePriority::Cost),
            (only(0.0, 1.0, 0.0), 0, SamplePriority::Speed),
            (only(0.0, 0.0, 1.0), 2, SamplePriority::Intelligence),
            (only(0.2, 0.1, 0.9), 2, SamplePriority::Intelligence),
        ] {
            let found = picked(&models, 1, &[], priorities);
            assert_eq!(found, (place, PickReason::Priority { first }), "{priorities:?}");
        }
    }

    #[test]
    fn without_preferences_it_is_the_usual_one_and_the_only_one_where_there_is_no_other() {
        let models = [script(), candidate("a", true, None), candidate("b", true, None)];
        assert_eq!(picked(&models, 2, &[], NOTHING), (2, PickReason::Usual));
        assert_eq!(picked(&[script()], 0, &["gpt"], NOTHING), (0, PickReason::Only));
        assert_eq!(pick(&[], ModelId::new(), &[], NOTHING), None);
    }

    /// A script never answers in the place of a model because of its name.
    #[test]
    fn the_script_is_never_picked_by_a_hint() {
        let mut named = script();
        named.shown.label = "Rehearsal".into();
        let models = [named, candidate("llama", true, None)];
        assert_eq!(picked(&models, 1, &["rehearsal"], NOTHING).0, 1);
    }
}
