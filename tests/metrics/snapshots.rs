//! Reports as text.

use corpus::measured;

#[track_caller]
fn check(name: &str) {
    let known = measured::all();
    let launch = known.iter().find(|m| m.name == name).expect(name);
    let report = launch.predict().unwrap_or_else(|error| panic!("{name}: {error}"));
    insta::with_settings!({ prepend_module_to_snapshot => false, snapshot_path => "../../snapshots" }, {
        insta::assert_snapshot!(format!("metrics__{name}"), report.to_string());
    });
}

#[test]
fn of_a_transpose_through_a_tile_whose_columns_share_a_bank() {
    check("transpose_smem");
}

#[test]
fn of_an_array_of_structs() {
    check("array_of_structure");
}

#[test]
fn of_branches_that_split_each_warp() {
    check("math_kernel1");
}

#[test]
fn of_a_count_into_few_bins() {
    check("count_into@8");
}
