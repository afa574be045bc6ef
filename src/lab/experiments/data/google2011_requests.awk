# How many tasks of ClusterData2011_2 ask for what: one row for each distinct request.
# Input: task events by time. Output: cpu,memory,disk,tasks, of every task that was submitted with a request for CPU and memory.
BEGIN { FS = OFS = "," }
$6 == 0 && $10 > 0 && $11 > 0 && !(($3, $4) in seen) { seen[$3, $4] = 1; ++tasks[$10 "," $11 "," $12] }
END { for (request in tasks) print request, tasks[request] }
