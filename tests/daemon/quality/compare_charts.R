# What R computes of the series in the table args[1] (series,count; a count is a hundredth of a um): limits of charts, indices of
# capability, bias, drift; then run lengths by the package spc (S. Knoth): a line "NAME VALUE" each. Groups are four successive values.
suppressMessages(library(spc))
say <- function(name, value) cat(name, sprintf("%.17g", value), "\n")
pieces <- function(f, from) sum(sapply(from, function(k) integrate(f, k, k + 1, rel.tol = 1e-13, abs.tol = 1e-18)$value))
range_density <- function(r, n) sapply(r, function(r) {
  pieces(function(x) n * (n - 1) * dnorm(x) * dnorm(x + r) * (pnorm(x + r) - pnorm(x))^(n - 2), -9:8 - r / 2)
})
n <- 4
c4 <- sqrt(2 / (n - 1)) * exp(lgamma(n / 2) - lgamma((n - 1) / 2))
d2 <- 2 * pieces(function(x) -expm1(n * pnorm(x, log.p = TRUE)) - pnorm(-x)^n, 0:8)
d3 <- sqrt(pieces(function(r) r^2 * range_density(r, n), 0:13) - d2^2)
table <- read.csv(commandArgs(TRUE)[1], colClasses = c("character", "integer"))
lower <- 1190; upper <- 1210; reference <- 1200
for (name in unique(table$series)) {
  of <- function(what, value) say(paste(name, what), value)
  x <- table$count[table$series == name] / 100
  mr <- mean(abs(diff(x))); sigma <- mr / (2 / sqrt(pi))
  of("mr sigma", sigma); of("i upper", mean(x) + 3 * sigma); of("mr upper", mr * (1 + 3 * sqrt(2 - 4 / pi) / (2 / sqrt(pi))))
  group <- rep(seq_len(length(x) / n), each = n)
  m <- as.vector(tapply(x, group, mean)); s <- as.vector(tapply(x, group, sd))
  r <- as.vector(tapply(x, group, function(v) diff(range(v))))
  of("xbar s upper", mean(x) + 3 * mean(s) / c4 / sqrt(n)); of("s upper", mean(s) * (1 + 3 * sqrt(1 - c4^2) / c4))
  of("xbar r upper", mean(x) + 3 * mean(r) / d2 / sqrt(n)); of("r upper", mean(r) * (1 + 3 * d3 / d2))
  ms <- summary(aov(I(x - x[1]) ~ factor(group)))[[1]][["Mean Sq"]]
  of("between", sqrt(max(0, (ms[1] - ms[2]) / n)))
  k <- length(x); sd <- sd(x)
  pp <- (upper - lower) / (6 * sd); ppk <- min(upper - mean(x), mean(x) - lower) / (3 * sd)
  of("pp", pp); of("ppk", ppk); of("cp", (upper - lower) / (6 * sigma))
  of("pp lower", pp * sqrt(qchisq(0.025, k - 1) / (k - 1))); of("pp upper", pp * sqrt(qchisq(0.975, k - 1) / (k - 1)))
  half <- qnorm(0.975) * sqrt(1 / (9 * k) + ppk^2 / (2 * (k - 1))); of("ppk lower", ppk - half); of("ppk upper", ppk + half)
  y <- log(x - 1150)  # values shifted towards 0, as a form has them
  q <- qlnorm(c(0.00135, 0.5, 0.99865), mean(y), sd(y))
  of("lognormal ppk", (60 - q[2]) / (q[3] - q[2]))
  t <- t.test(x, mu = reference)
  of("bias lower", t$conf.int[1] - reference); of("bias upper", t$conf.int[2] - reference); of("bias p", t$p.value)
  z <- m - m[1]; day <- seq_along(z) / 3
  line <- lm(z ~ day); ci <- confint(line)
  of("drift", coef(line)[2]); of("drift lower", ci[2, 1]); of("drift upper", ci[2, 2]); of("drift p", summary(line)$coefficients[2, 4])
}
for (shift in c(0, 0.5, 1, 2)) {
  for (h in c(4, 4.77, 5)) say(paste("cusum", h, shift), xcusum.arl(0.5, h, shift, sided = "two"))
  say(paste("cusum head start", shift), xcusum.arl(0.5, 5, shift, hs = 2.5, sided = "two"))
  for (l in c(0.05, 0.1, 0.4)) say(paste("ewma", l, shift), xewma.arl(l, 2.8, shift, sided = "two", limits = "fix", r = 100))
}
