# The mean of what each job's running tasks request, over each whole interval of 300 s of ClusterData2011_2's task events.
# Input: task events by time. Output: job,interval,cpu,memory with jobs numbered from 1 in the order in which they appear.
# A task runs from SCHEDULE (1) to EVICT, FAIL, FINISH, KILL or LOST (2 to 6); UPDATE_RUNNING (8) changes its request.
BEGIN { FS = OFS = ","; interval = 300; whole_intervals = 18; end = interval * whole_intervals }

# Adds what the task requested from its last change until `now` to every interval that this touches.
function account(task, job, now,    from, until, k) {
  from = since[task]
  if (now > end) now = end
  while (from < now) {
    k = int(from / interval)
    until = (k + 1) * interval
    if (until > now) until = now
    cpu[job, k] += cpu_of[task] * (until - from) / interval
    memory[job, k] += memory_of[task] * (until - from) / interval
    from = until
  }
}

{
  now = $1 / 1e6
  task = $3 SUBSEP $4
  if (!($3 in number)) { number[$3] = ++jobs; name[jobs] = $3 }
  if (task in since) {
    account(task, $3, now)
    if ($6 >= 2 && $6 <= 6) { delete since[task]; next }
  }
  if ($6 == 1 || (task in since && $6 == 8)) {
    since[task] = now
    cpu_of[task] = $10 + 0
    memory_of[task] = $11 + 0
    job_of[task] = $3
  }
}

END {
  for (task in since) account(task, job_of[task], end)
  print "job", "interval", "cpu", "memory"
  for (j = 1; j <= jobs; ++j)
    for (k = 0; k < whole_intervals; ++k)
      if (cpu[name[j], k] > 0 && memory[name[j], k] > 0)
        printf "%d,%d,%.4g,%.4g\n", j, k, cpu[name[j], k], memory[name[j], k]
}
