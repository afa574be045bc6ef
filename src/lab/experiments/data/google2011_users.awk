# What the tasks of each user of ClusterData2011_2 ask for: one row for each distinct request of a user.
# Input: task events by time. Output: user,cpu,memory,tasks, of every task that was submitted with a request for CPU and memory;
# users are numbered in the order in which they appear.
BEGIN { FS = OFS = "," }
$6 == 0 && $10 > 0 && $11 > 0 && !(($3, $4) in seen) {
  seen[$3, $4] = 1
  if (!($7 in number)) number[$7] = ++users
  ++tasks[number[$7] "," $10 "," $11]
}
END { for (request in tasks) print request, tasks[request] }
