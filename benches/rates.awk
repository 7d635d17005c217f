# Lines `rate KERNEL HOW VALUE` as a Markdown table: a row for each way, a column for each kernel, in their order.
$1 == "rate" {
    if (!($2 in kernel)) { kernel[$2] = 1; kernels[++columns] = $2 }
    if (!($3 in how)) { how[$3] = 1; ways[++rows] = $3 }
    value[$3, $2] = $4
}
function text(rate) {
    if (rate == "") return "–"
    return rate >= 100 ? sprintf("%.0f", rate) : rate >= 1 ? sprintf("%.1f", rate) : sprintf("%.4f", rate)
}
END {
    printf "| millions of elements a second |"
    for (c = 1; c <= columns; c++) printf " %s |", kernels[c]
    printf "\n|---|"
    for (c = 1; c <= columns; c++) printf "---|"
    for (r = 1; r <= rows; r++) {
        printf "\n| %s |", ways[r]
        for (c = 1; c <= columns; c++) printf " %s |", text(value[ways[r], kernels[c]])
    }
    print ""
}
