//! `mtlpack thin`.

use insta_cmd::assert_cmd_snapshot;

use crate::lipo::folder;

#[test]
fn keeps_what_is_named() {
    let folder = folder();
    let air = ["thin", "universal.metallib", "--keep-air", "-o", "air.metallib"];
    assert_cmd_snapshot!(folder.mtlpack(&air));
    assert_cmd_snapshot!(folder.mtlpack(&["lipo", "air.metallib", "-archs"]));
    let gpu = ["thin", "universal.metallib", "--main-arch", "g13g", "--dry-run"];
    assert_cmd_snapshot!(folder.mtlpack(&gpu));
}

#[test]
fn refuses_to_keep_nothing() {
    let folder = folder();
    assert_cmd_snapshot!(folder.mtlpack(&["thin", "universal.metallib", "-o", "x"]));
    let missing = ["thin", "universal.metallib", "--keep-air", "--main-arch", "g14g", "-o", "x"];
    assert_cmd_snapshot!(folder.mtlpack(&missing));
}
