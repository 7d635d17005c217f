# Lines `ours NAME VALUE UNIT` and `peer NAME VALUE UNIT`, each several times, as a Markdown table of their medians.
#
# NAME_checked is the launch of NAME with bounds checks. Rows with the same name from the first `/` on are the steps of a
# ladder: each has its gain over the step before and over the first.
$1 == "ours" || $1 == "peer" {
    name = $2
    column = $1
    if (sub(/_checked$/, "", name)) column = "checked"
    if (!(name in unit)) { unit[name] = $4; order[++rows] = name }
    values[column, name] = values[column, name] " " $3
}
function median(column, name,    v, n, i, j, kept) {
    n = split(values[column, name], v, " ")
    for (i = 2; i <= n; i++) {
        kept = v[i] + 0
        for (j = i - 1; j > 0 && v[j] + 0 > kept; j--) v[j + 1] = v[j]
        v[j + 1] = kept
    }
    return n ? v[int((n + 1) / 2)] + 0 : ""
}
function cell(value) { return value == "" ? "–" : sprintf("%.4g", value) }
function gain(before, after, kind) { return before == "" ? "–" : sprintf("%.2f", kind == "ms" ? before / after : after / before) }
END {
    print "| | unit | ours | checked | nvcc | ours / nvcc | over the one before | over the first |"
    print "|---|---|---|---|---|---|---|---|"
    for (r = 1; r <= rows; r++) {
        name = order[r]
        ours = median("ours", name)
        peer = median("peer", name)
        ratio = ours == "" || peer == "" ? "–" : sprintf("%.3f", ours / peer)
        ladder = name
        sub(/^[^\/]*/, "", ladder)
        steps = "–"
        total = "–"
        if (ladder != "" && ours != "") {
            steps = gain(before[ladder], ours, unit[name])
            total = gain(first[ladder], ours, unit[name])
            before[ladder] = ours
            if (!(ladder in first) || first[ladder] == "") first[ladder] = ours
        }
        printf "| %s | %s | %s | %s | %s | %s | %s | %s |\n", name, unit[name], cell(ours), cell(median("checked", name)), cell(peer), ratio, steps, total
    }
}
