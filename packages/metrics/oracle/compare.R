# R's own tests: the exact stratified test, its normal form, the generalised one, and p.adjust.
# Writes golden/stratified-test-r.json, stratified-normal.json, stratified-homogeneity.json and adjust-p.json.
# Run from this folder: Rscript compare.R

number <- function(x) ifelse(is.na(x), "null", format(x, digits = 17, trim = TRUE, scientific = TRUE))
list_of <- function(x) paste0("[", paste(number(x), collapse = ", "), "]")
object <- function(...) {
  fields <- list(...)
  paste0("{", paste0('"', names(fields), '": ', unlist(fields), collapse = ", "), "}")
}
write_golden <- function(name, vectors) {
  lines <- c("{", paste0('  "oracle": "', R.version.string, '",'), '  "script": "oracle/compare.R",', '  "vectors": [',
             paste0("    ", unlist(vectors), c(rep(",", length(vectors) - 1), "")), "  ]", "}")
  writeLines(lines, file.path("..", "golden", paste0(name, ".json")))
  cat(name, length(vectors), "vectors\n")
}

set.seed(118)
sides <- c(twoSided = "two.sided", less = "less", greater = "greater")
suite <- function(cases, nA, nB, shift) {
  p <- rbeta(cases, 0.5, 0.5)
  data.frame(nA = nA, cA = rbinom(cases, nA, p), nB = nB, cB = rbinom(cases, nB, pmin(1, pmax(0, p + shift))))
}
# B in the first row, so that an odds ratio above 1 means that B passes more often.
tables <- function(s) array(rbind(s$cB, s$cA, s$nB - s$cB, s$nA - s$cA), c(2, 2, nrow(s)))
strata_json <- function(s) {
  rows <- apply(s, 1, function(r) object(nA = number(r[["nA"]]), cA = number(r[["cA"]]), nB = number(r[["nB"]]), cB = number(r[["cB"]])))
  paste0("[", paste(rows, collapse = ", "), "]")
}
p_values <- function(s, ...) lapply(sides, function(side) number(mantelhaen.test(tables(s), alternative = side, ...)$p.value))

vectors <- list()
for (s in list(suite(20, 5, 5, 0), suite(20, 5, 5, -0.15), suite(20, 10, 10, 0.1), suite(50, 20, 20, 0.02), suite(200, 10, 10, -0.05),
               suite(40, 3, 8, -0.3), suite(3, 50, 40, 0.1), suite(100, 1, 1, -0.2)))
  vectors[[length(vectors) + 1]] <- do.call(object, c(list(strata = strata_json(s)), p_values(s, exact = TRUE)))
write_golden("stratified-test-r", vectors)

# Too large for the exact form within 5e8 multiplications: R's normal form (two-sided), and its exact one to see how far off it is.
vectors <- list()
for (s in list(data.frame(nA = c(31000, 30500, 30000), cA = c(15300, 20100, 3000), nB = c(30000, 31000, 32000), cB = c(14900, 20600, 3310)),
               data.frame(nA = c(40000, 40000), cA = c(20000, 30000), nB = c(40000, 41000), cB = c(20391, 31011))))
  vectors[[length(vectors) + 1]] <- object(
    strata = strata_json(s), twoSided = number(mantelhaen.test(tables(s), correct = TRUE)$p.value),
    exact = number(mantelhaen.test(tables(s), exact = TRUE)$p.value))
write_golden("stratified-normal", vectors)

vectors <- list()
for (shape in list(c(15, 3, 5), c(20, 7, 10), c(8, 4, 2), c(40, 2, 6), c(1, 5, 30))) {
  cases <- shape[1]; subjects <- shape[2]; n <- shape[3]
  p <- rbeta(cases, 1, 1)
  trials <- matrix(n + rbinom(cases * subjects, 3, 0.5), subjects)
  passes <- matrix(rbinom(cases * subjects, trials, pmin(1, rep(p, each = subjects) + 0.05 * (seq_len(subjects) - 1))), subjects)
  keep <- colSums(passes) > 0 & colSums(passes) < colSums(trials)
  table <- array(0, c(subjects, 2, cases))
  for (k in seq_len(cases)) table[, , k] <- cbind(passes[, k], trials[, k] - passes[, k])
  test <- if (cases == 1) chisq.test(table[, , 1], correct = FALSE) else mantelhaen.test(table[, , keep, drop = FALSE], correct = FALSE)
  # One stratum is Pearson's chi-square times (N - 1)/N.
  shrink <- if (cases == 1) (sum(trials) - 1) / sum(trials) else 1
  statistic <- unname(test$statistic) * shrink
  rows <- sapply(seq_len(cases), function(k) paste0("[", paste(sapply(seq_len(subjects), function(i)
    object(n = trials[i, k], c = passes[i, k])), collapse = ", "), "]"))
  vectors[[length(vectors) + 1]] <- object(strata = paste0("[", paste(rows, collapse = ", "), "]"), statistic = number(statistic),
    df = unname(test$parameter), p = number(pchisq(statistic, test$parameter, lower.tail = FALSE)), informative = sum(keep))
}
write_golden("stratified-homogeneity", vectors)

vectors <- list()
for (p in list(c(0.01, 0.04, 0.03), 0.2, c(0, 1), c(0.05, 0.05, 0.05), runif(20)^3, c(1e-300, 1e-20, 0.9, 1, 1e-20), c(0.5, 0.9, 0.7, 1),
               10^-runif(100, 0, 12)))
  vectors[[length(vectors) + 1]] <- object(p = list_of(p), holm = list_of(p.adjust(p, "holm")), bh = list_of(p.adjust(p, "BH")),
                                           by = list_of(p.adjust(p, "BY")))
write_golden("adjust-p", vectors)
