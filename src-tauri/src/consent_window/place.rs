//! Where the consent window opens: over the activity panel at the right edge of the main window or beside it, on its
//! screen, and narrower where it would otherwise cover the chat.

use tauri::{LogicalPosition, LogicalSize, Runtime, WebviewWindow};

pub(super) const WIDTH: f64 = 580.0;
pub(super) const HEIGHT: f64 = 760.0;

/// The least width in which a card is comfortable to read.
const NARROW: f64 = 480.0;
/// The width of the activity panel (`ui/src/views/chat/Activity.svelte`).
const ACTIVITY: f64 = 280.0;
/// How much of the main window is covered at most where the screen has room beside it.
const OVERLAP: f64 = 48.0;

#[derive(Debug, PartialEq)]
pub(super) struct Place {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
}

/// A rectangle in logical pixels.
#[derive(Clone, Copy)]
struct Area {
    at: LogicalPosition<f64>,
    size: LogicalSize<f64>,
}

/// The place next to the main window, where its place is known.
pub(super) fn next_to<R: Runtime>(main: &WebviewWindow<R>) -> Option<Place> {
    let scale = main.scale_factor().ok()?;
    let screen = main.current_monitor().ok()??;
    let window = Area {
        at: main.outer_position().ok()?.to_logical(scale),
        size: main.outer_size().ok()?.to_logical(scale),
    };
    let screen = Area {
        at: screen.position().to_logical(scale),
        size: screen.size().to_logical(scale),
    };
    Some(beside(window, screen))
}

fn beside(main: Area, screen: Area) -> Place {
    let right = screen.at.x + screen.size.width;
    let edge = main.at.x + main.size.width;
    let free = right - (edge - ACTIVITY);
    let width = free.clamp(NARROW, WIDTH);
    let x = (edge - OVERLAP).min(right - width).max(screen.at.x);
    let lowest = screen.at.y + screen.size.height - HEIGHT - 48.0;
    let y = (main.at.y + 40.0).min(lowest).max(screen.at.y);
    Place { x, y, width }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn area(x: f64, y: f64, width: f64, height: f64) -> Area {
        Area {
            at: LogicalPosition { x, y },
            size: LogicalSize { width, height },
        }
    }

    fn covered(main: Area, place: &Place) -> f64 {
        (main.at.x + main.size.width - place.x).max(0.0)
    }

    #[test]
    fn a_wide_screen_leaves_all_but_an_edge_of_the_main_window_free() {
        let main = area(100.0, 50.0, 1280.0, 840.0);
        let place = beside(main, area(0.0, 0.0, 2560.0, 1440.0));
        assert_eq!((covered(main, &place), place.width), (OVERLAP, WIDTH));
    }

    #[test]
    fn a_smaller_screen_has_it_over_the_activity_panel() {
        let main = area(100.0, 30.0, 1280.0, 840.0);
        let place = beside(main, area(0.0, 0.0, 1600.0, 1000.0));
        assert!(covered(main, &place) <= ACTIVITY, "{place:?}");
        assert!((NARROW..=WIDTH).contains(&place.width), "{place:?}");
    }

    #[test]
    fn it_is_never_outside_of_its_screen() {
        for (main, screen) in [
            (area(0.0, 0.0, 1024.0, 700.0), area(0.0, 0.0, 1024.0, 700.0)),
            (
                area(1900.0, 900.0, 1280.0, 840.0),
                area(1600.0, 0.0, 1600.0, 1000.0),
            ),
            (area(-40.0, -20.0, 720.0, 480.0), area(0.0, 0.0, 800.0, 600.0)),
        ] {
            let place = beside(main, screen);
            assert!(place.x >= screen.at.x && place.y >= screen.at.y, "{place:?}");
            assert!(
                place.x + place.width <= screen.at.x + screen.size.width,
                "{place:?}"
            );
        }
    }
}
