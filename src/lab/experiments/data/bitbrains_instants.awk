# What every machine of GWA-T-12 Bitbrains (Rnd) uses, every half an hour of its first day.
# Input: the joined table, a row for each machine and five minutes. Output, three significant digits:
# instant,cpu_mhz,memory_mb,read_kbs,write_kbs,received_kbs,transmitted_kbs; only machines that use both CPU and memory.
BEGIN { FS = "," }
NR == 2 { first = $2 }
NR > 1 && $5 > 0 && $8 > 0 {
  step = int(($2 - first) / 300)
  if (step % 6 == 0 && step < 288)
    printf "%d,%.3g,%.3g,%.3g,%.3g,%.3g,%.3g\n", step / 6, $5, $8 / 1024, $9, $10, $11, $12
}
