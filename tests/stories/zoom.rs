//! How large the pages are drawn: bounded, kept, and told to the shell that zooms the windows.

use vestibule_host::view::SettingsChange;
use vestibule_tests::Scene;

#[tokio::test]
async fn the_zoom_stays_between_half_and_double_and_the_shell_hears_each_change() {
    let scene = Scene::new().await;
    let mut settings = scene.host.settings_changes();
    assert_eq!(settings.borrow_and_update().zoom, 100);
    for (asked, drawn) in [(125, 125), (0, 50), (u16::MAX, 200)] {
        let change = SettingsChange {
            zoom: Some(asked),
            ..SettingsChange::default()
        };
        scene.host.settings_save(change).await.unwrap();
        assert!(settings.has_changed().unwrap());
        assert_eq!(settings.borrow_and_update().zoom, drawn);
        assert_eq!(scene.host.settings().zoom, drawn);
    }
}
