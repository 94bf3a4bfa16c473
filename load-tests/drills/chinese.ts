/**
 * The texts of the drills without varying parts, in Chinese, by the English words; some are joined by semicolons.
 * test/load/drills-in-chinese.spec.ts finds what is missing.
 */
const WORDS: ReadonlyMap<string, string> = new Map([
  // what they show: failover
  ['only the dead primary had the lock: two holders', '锁只在宕机的主节点上：两个持有者'],
  ['an owner token does not restore the lock: two holders', '持有者的 token 找不回丢掉的锁：两个持有者'],
  ['the hash with the count is lost as well: two holders', '记录重入次数的哈希也丢了：两个持有者'],
  ['the lock and the queue of waiters are lost: two holders', '锁和等待者的队列都丢了：两个持有者'],
  [
    'the holder was past its last check of the lease: two holders',
    '持有者已经做完对租期的最后一次检查：两个持有者',
  ],
  [
    'A checks the lock once more before its COMMIT, and rolls its write back',
    'A 在 COMMIT 之前再检查一次锁，并回滚自己的写入',
  ],
  [
    'the holder is still at work: its next renewal is refused, and it sells nothing',
    '持有者还在干活：它的下一次续期被拒绝，于是什么也不卖',
  ],
  [
    'no replica has the lock: A and B are refused; C buys once the new primary has two replicas',
    '没有一个从节点有这把锁：A 和 B 都被拒绝；新的主节点有了两个从节点之后，C 买到',
  ],
  [
    'all replicas had the lock when the primary died: B is refused, A buys',
    '主节点宕机时所有从节点都有这把锁：B 被拒绝，A 买到',
  ],
  [
    'two replicas had the lock, the third was promoted: two holders',
    '两个从节点有这把锁，被提升的是第三个：两个持有者',
  ],
  [
    'one of five independent servers is killed: the four that are left still have the lock and grant the next one',
    '五台独立的服务器中一台被杀死：剩下的四台仍有这把锁，也能发出下一把',
  ],
  // tokens
  [
    'the row has registered this token for A: B, the current holder of the lock, is refused; A buys',
    '数据行已经为 A 登记了这个令牌：当前的持有者 B 被拒绝；A 买到',
  ],
  [
    'B registers the token first: A has the same token under another name, and is refused',
    'B 先登记令牌：A 的令牌相同，名字不同，被拒绝',
  ],
  [
    'B writes with the token first: A has the same token and is refused',
    'B 先带令牌写入：A 的令牌相同，被拒绝',
  ],
  [
    "A writes between B's read and write: with a greater token B would oversell, with the same token it is refused",
    'A 在 B 的读与写之间写入：B 的令牌若更大就会超卖，令牌相同则被拒绝',
  ],
  [
    'the counter falls back by two: A, the stale holder, has the greater token, and its write is accepted',
    '计数倒退了二：过期的持有者 A 的令牌更大，它的写入被接受',
  ],
  [
    "the same, but A registers its token before it reads: it reads the stock after B's sale",
    '情况相同，但 A 在读之前登记令牌：它读到的是 B 卖出之后的库存',
  ],
  [
    'two tokens are lost: nothing is sold twice, but two buyers that hold the lock are refused',
    '丢了两个令牌：没有一件卖两次，但两个持锁的买家被拒绝',
  ],
  // split brain
  [
    "both primaries grant the lock; the old one's writes are lost when it is demoted",
    '两个主节点都发出锁；旧的主节点降级时，它的写入全部丢失',
  ],
  [
    'min-replicas-to-write 1: the replicas are disconnected, as if killed, and the old primary refuses at once',
    'min-replicas-to-write 1：从节点断开连接，如同被杀死，旧的主节点立刻拒绝',
  ],
  [
    'min-replicas-max-lag 1: the replicas are silent, as if paused: a lock taken before the lag is noticed has two holders',
    'min-replicas-max-lag 1：从节点没有响应，如同停顿：在察觉延迟之前加的锁，有两个持有者',
  ],
  [
    'WAIT: no replica acknowledges to the old primary, and A is refused; B buys',
    'WAIT：没有从节点向旧的主节点确认，A 被拒绝；B 买到',
  ],
  [
    'both primaries assign the same token: the row accepts only one of the two writes',
    '两个主节点发出同一个令牌：数据行只接受两次写入中的一次',
  ],
  [
    'the Sentinels elect a replica that lacks the lock: two holders',
    '哨兵选出的从节点没有这把锁：两个持有者',
  ],
  [
    'the token repeats after the election: the row accepts only one of the two writes',
    '选举之后令牌重复：数据行只接受两次写入中的一次',
  ],
  [
    'WAIT: no replica has the lock, and A is refused before the election; B buys',
    'WAIT：没有从节点有这把锁，A 在选举之前就被拒绝；B 买到',
  ],
  [
    "the slot's replica is elected and lacks the lock: two holders",
    '这个槽的从节点被选为主节点，却没有这把锁：两个持有者',
  ],
  [
    'lock and counter are in one slot, so the token repeats: the row accepts only one of the two writes',
    '锁和计数在同一个槽，所以令牌重复：数据行只接受两次写入中的一次',
  ],
  // persistence
  [
    'Redis without persistence is killed and restarts empty: two holders',
    '没有持久化的 Redis 被杀死，重启后数据全空：两个持有者',
  ],
  ['the same', '情况相同'],
  [
    'the token counter is lost as well, and the row refuses the repeated token',
    '令牌的计数也丢了，数据行拒绝重复的令牌',
  ],
  ['snapshots, but none since A took the lock: two holders', '有快照，但都在 A 加锁之前：两个持有者'],
  [
    'a snapshot happened to be taken after A took the lock: B is refused',
    'A 加锁之后恰好做过一次快照：B 被拒绝',
  ],
  [
    'append-only file with fsync once a second: written data survives the process, fsynced or not',
    'AOF，每秒 fsync 一次：写进文件的数据不随进程消失，不管有没有 fsync',
  ],
  [
    'append-only file with fsync before every reply: no difference when only the process is killed',
    'AOF，每次应答之前 fsync：只杀死进程时没有区别',
  ],
  [
    'fsync once a second, and the power fails before it: the lock is lost, two holders (simulated)',
    '每秒 fsync 一次，在它之前断电：锁丢了，两个持有者（模拟）',
  ],
  ['the same, but the row refuses a repeated token (simulated)', '情况相同，但数据行拒绝重复的令牌（模拟）'],
  [
    'fsync before every reply: a holder that received the reply has its lock on the disk (simulated)',
    '每次应答之前 fsync：收到应答的持有者，锁已在磁盘上（模拟）',
  ],
  // redlock, clocks and networks
  [
    'redlock: a voter loses its vote, and a second majority is possible: two holders',
    '红锁：一台服务器丢了自己的一票，可能出现第二个多数派：两个持有者',
  ],
  [
    'redlock: the voter stays down for a lease: no second majority is possible in that time',
    '红锁：这台服务器停机一个租期：这段时间不可能出现第二个多数派',
  ],
  ['redlock: the voter has its vote on the disk', '红锁：这台服务器的一票在磁盘上'],
  [
    "Redis' clock is set a minute ahead: the lease ends at once, two holders",
    'Redis 的时钟拨快一分钟：租期立刻结束，两个持有者',
  ],
  ['the row refuses the older token', '数据行拒绝较旧的令牌'],
  [
    "one voter's clock is set a minute ahead: a second majority, two holders",
    '一台服务器的时钟拨快一分钟：第二个多数派，两个持有者',
  ],
  ['all data between A and Redis is dropped', 'A 与 Redis 之间的数据全部丢弃'],
  ["A's connections and all new ones are reset", 'A 的连接和所有新连接都被重置'],
  ['A does not check the lock again before it writes: both sell', 'A 写入之前不再检查锁：两个都卖出'],
  [
    "A's timer cannot renew the lease, and A does not check the timer: both sell",
    'A 的定时器无法续期，而 A 不检查定时器：两个都卖出',
  ],
  [
    'A detects by its own clock that its lease has ended, and does not write',
    'A 按自己的时钟发现租期已经结束，不再写入',
  ],
  ['A does not notice the loss, and the row refuses its token', 'A 没有察觉失锁，数据行拒绝它的令牌'],
  [
    "requests arrive and replies are lost: A's lock excludes B for a whole lease, although A gave up",
    '请求到达，应答丢失：A 已经放弃，它的锁仍把 B 挡住整个租期',
  ],
  // sessions and leaders
  ['B gets the lock, and A still writes', 'B 拿到锁，A 仍然写入'],
  [
    'the watchdog is paused as well: B gets the lock, and A still writes',
    '看门狗也停顿了：B 拿到锁，A 仍然写入',
  ],
  ['the row refuses A', '数据行拒绝 A'],
  [
    'three servers make no difference: B gets the lock, and A still writes',
    '三台服务器也一样：B 拿到锁，A 仍然写入',
  ],
  ['the same lock with its czxid as fence: the row refuses A', '同样的锁，用 czxid 当栅栏令牌：数据行拒绝 A'],
  [
    'A is paused in its work, before its last check of the session: it notices the loss and sells nothing',
    'A 在业务途中停顿，还没有最后一次检查会话：它察觉失锁，什么也不卖',
  ],
  [
    'the same lock with its revision as fence: the row refuses A',
    '同样的锁，用 revision 当栅栏令牌：数据行拒绝 A',
  ],
  [
    'another leader is elected, and A keeps its lock: no other buyer gets it',
    '选出另一个 leader，A 的锁还在：别的买家拿不到',
  ],
  [
    'the others elect a new leader, and the old one steps down when it resumes',
    '其余服务器选出新的 leader，旧的恢复之后退位',
  ],
  ['A keeps its lock', 'A 的锁还在'],
  [
    "A's server is killed: its client connects to another one, and A keeps its lock",
    'A 连接的服务器被杀死：它的客户端连到另一台，A 的锁还在',
  ],
  [
    'without a majority no buyer gets a lock, and nothing is sold twice',
    '没有多数派，谁也拿不到锁，也没有一件卖两次',
  ],
  ['with a majority C buys', '有了多数派，C 买到'],

  // why it is certain
  ['replication is cut before the lock is taken', '加锁之前就断开复制'],
  ['A is held in its work until its renewal is refused', 'A 停在业务途中，直到它的续期被拒绝'],
  ['A holds the lock after WAIT was answered with 2', 'WAIT 返回 2 之后 A 才持有锁'],
  ['replication to the third is cut before the lock is taken', '加锁之前就断开到第三个从节点的复制'],
  ['A holds all five when one is killed', '一台被杀死时 A 持有全部五票'],
  ['replication is cut before the token is drawn', '发出令牌之前就断开复制'],
  ['replication is cut before the tokens are drawn', '发出这些令牌之前就断开复制'],
  [
    'the replica is promoted while the old primary keeps running, disconnected from it',
    '旧的主节点与从节点断开、但还在运行时，从节点被提升',
  ],
  ['A starts after the first refusal', 'A 在第一次拒绝之后才开始'],
  ['A takes the lock right after the last acknowledgment', 'A 紧接着最后一次确认加锁'],
  ['replication is dropped before A starts', 'A 开始之前就丢弃复制的数据'],
  ['the replica is paused and disconnected before the lock is taken', '加锁之前从节点就已停顿，并断开连接'],
  [
    'A is held before its write while Redis is killed by SIGKILL and restarted',
    'A 停在写入之前，这时 Redis 被 SIGKILL 杀死并重启',
  ],
  [
    'the file is truncated to the last fsync: once a second by a thread whose runs the kernel counts, or before every reply',
    '文件截断到上一次 fsync：每秒一次，由内核计数的线程执行；或在每次应答之前',
  ],
  [
    'A has exactly three votes of five, because its network to the other two is cut',
    'A 到另外两台的网络断开，所以恰好有五票中的三票',
  ],
  [
    'libfaketime sets the clock of this one process while A is held before its write',
    'A 停在写入之前，这时 libfaketime 拨动这一个进程的时钟',
  ],
  ['A is held in its work until B has sold', 'A 停在业务途中，直到 B 卖出'],
  ['B connects to Redis directly, not through the failing network', 'B 直接连接 Redis，不经过出故障的网络'],
  [
    "A is held before it requests the lock, and only Redis' replies are dropped",
    'A 停在请求加锁之前，只丢弃 Redis 的应答',
  ],
  [
    "A's process is paused until the server reports that its session or lease has ended",
    'A 的进程一直停顿，直到服务器报告它的会话或租约已经结束',
  ],
  [
    'the leader, according to itself, is killed while A is held before its write',
    'A 停在写入之前，这时杀死自称 leader 的服务器',
  ],
  [
    'the leader, according to itself, is stopped while A is held before its write',
    'A 停在写入之前，这时暂停自称 leader 的服务器',
  ],
  [
    'the follower that A is connected to is killed while A is held before its write',
    'A 停在写入之前，这时杀死它所连接的 follower',
  ],
  [
    'two of three servers are killed while A is held before its write',
    'A 停在写入之前，这时杀死三台服务器中的两台',
  ],

  // facts: failover, replicas and votes
  ['A holds the lock', 'A 持有锁'],
  ['A had the lock', 'A 持有过锁'],
  ['B holds the same lock', 'B 持有同一把锁'],
  ['B held the same lock', 'B 持有过同一把锁'],
  ['the primary has lost its replicas', '主节点已经失去所有从节点'],
  ['the old primary is dead', '旧的主节点已被杀死'],
  ["the new primary refused A's renewal", '新的主节点拒绝了 A 的续期'],
  ['the new primary refused the lock to B', '新的主节点拒绝给 B 加锁'],
  ['all Sentinels name the same replica', '所有哨兵都指向同一个从节点'],
  ['an election took place: the epoch has increased', '发生过选举：配置纪元增加了'],
  [
    'A had the lock on the primary, and 0 of 2 replicas acknowledged it',
    'A 在主节点上持有过锁，两个从节点都没有确认',
  ],
  ['with one replica left, 1 of 2 acknowledged to B', '只剩一个从节点：B 需要两个确认，只得到一个'],
  ['2 of 2 acknowledged to C', '两个从节点都向 C 确认'],
  ['A holds the lock, and 2 of 2 replicas have it', 'A 持有锁，两个从节点都有这把锁'],
  ['A holds the lock, and 2 of 3 replicas have it', 'A 持有锁，三个从节点中有两个有这把锁'],
  ['B holds the same lock, and 2 of 2 replicas have it', 'B 持有同一把锁，两个从节点都有这把锁'],
  ['B ran a script on the new primary', 'B 在新的主节点上执行过脚本'],
  ['A holds five voters', 'A 持有全部五票'],
  ['one voter is dead', '一台服务器已被杀死'],
  ['no voter granted the lock to B', '没有一台服务器投票给 B'],
  ['C held the four voters that are left', 'C 得到剩下四台服务器的票'],
  // facts: split brain
  ['there are two primaries', '同时有两个主节点'],
  ['A holds the lock on the old primary', 'A 在旧的主节点上持有锁'],
  ['A had the lock on the old primary for a moment', 'A 在旧的主节点上短暂持有过锁'],
  ['A holds the lock on the old primary, within the window', '在窗口之内，A 在旧的主节点上持有锁'],
  ['B held the lock on the new primary', 'B 在新的主节点上持有过锁'],
  ['B held the same lock on the new primary', 'B 在新的主节点上持有过同一把锁'],
  ['every write of the old primary is lost', '旧的主节点的写入全部丢失'],
  ["A's lock is lost as well", 'A 的锁也丢了'],
  ['the old primary refuses writes: NOREPLICAS', '旧的主节点拒绝写入：NOREPLICAS'],
  ['A was refused: NOREPLICAS', 'A 被拒绝：NOREPLICAS'],
  ['C, which started after the window, was refused: NOREPLICAS', 'C 在窗口之后才开始，被拒绝：NOREPLICAS'],
  // facts: tokens
  ['A and B hold the lock with the same token', 'A 和 B 持锁的令牌相同'],
  ["A's token is greater than B's", 'A 的令牌比 B 的大'],
  ['the first buyer with a greater token was accepted', '第一个令牌更大的买家被接受'],
  // facts: persistence, redlock and networks
  ['the lock is gone', '锁已经不在'],
  ["the lock is still there, and A's", '锁还在，持有者是 A'],
  ['B is refused by the lock', '锁把 B 挡住，B 被拒绝'],
  ['the lock is in a snapshot', '锁在快照里'],
  ['the lock is not in a snapshot', '锁不在任何快照里'],
  ['Redis has written all acknowledged data to its file', 'Redis 已把确认过的数据全部写进文件'],
  ['Redis fsyncs before it replies', 'Redis 先 fsync 再应答'],
  ['the lock is in the file', '锁已写进文件'],
  ['the fsync thread has not run since', '此后 fsync 线程没有运行过'],
  [
    'Redis was paused within the same second, in which that thread runs only once',
    'Redis 在同一秒之内被暂停，而这个线程每秒只运行一次',
  ],
  ['A holds the lock by exactly three votes of five', 'A 持有锁，恰好有五票中的三票'],
  ["the third voter has lost A's lock, the other two have not", '第三台服务器丢了 A 的锁，另外两台没有丢'],
  ['B holds the same lock by the other three votes', 'B 凭另外三票持有同一把锁'],
  ['all three voters still have their vote', '三台服务器投出的票都还在'],
  ['B gets no majority', 'B 没有得到多数票'],
  ['B gets two votes of four, and no majority', 'B 从四台服务器得到两票，不够多数'],
  ['A sold within its lease', 'A 在租期之内卖出'],
  ["A's lease has ended", 'A 的租期已经结束'],
  ['C, which started after that, holds the lock by five votes', 'C 在此之后才开始，凭五票持有锁'],
  ['its lease has ended, and B holds the lock', 'A 的租期已经结束，B 持有锁'],
  ['A receives the error that Redis is down', 'A 收到 Redis 不可用的错误'],
  [
    "Redis executed A's SET, and the lock is held although A has given up",
    'Redis 执行了 A 的 SET：A 已经放弃，锁却仍被持有',
  ],
  // facts: sessions and leaders
  ['A has the lock, according to the server', '服务器报告：A 持有锁'],
  ['A has the lock, according to the servers', '服务器报告：A 持有锁'],
  ['B has the lock now, according to the server', '服务器报告：现在 B 持有锁'],
  ['C has the lock, according to the servers', '服务器报告：C 持有锁'],
  ['A has the lock and B waits, according to the servers', '服务器报告：A 持有锁，B 在等待'],
  [
    'A still has the lock, in the same session or lease, according to the servers',
    '服务器报告：A 仍持有锁，会话或租约不变',
  ],
  ['A is paused, according to the kernel', '内核报告：A 已停顿'],
  [
    'its session or lease has ended, and the lock is free, according to the server',
    '服务器报告：A 的会话或租约已经结束，锁空闲',
  ],
  ['one of the others is the leader, according to itself', '其余服务器中有一台自称 leader'],
  ["changes are possible again, also on a connection like B's", '又可以写入，用 B 那样的连接也可以'],
  [
    "A's client is connected to one of the others, in the same session or lease",
    'A 的客户端已连到其余服务器之一，会话或租约不变',
  ],
  ['B still waits', 'B 还在等待'],
  ['B got the lock only after A had begun to release it', 'A 开始释放锁之后，B 才拿到锁'],
  [
    'the server that was stopped has resumed and is not the leader, according to itself',
    '被暂停的服务器已经恢复，它不再自称 leader',
  ],
  [
    "the fences increase: A's is less than B's, and B's is less than C's",
    '栅栏令牌递增：A 的小于 B 的，B 的小于 C 的',
  ],
  ['two of three servers are dead', '三台服务器中的两台已被杀死'],
  ['no server is the leader, according to the one that is left', '没有 leader：剩下的一台也不自称 leader'],
  ['B gets no lock, but the error that the servers are down', 'B 没有拿到锁，收到服务器不可用的错误'],
  ['there is a leader again', '又有了 leader'],

  // figures
  ["ms until A's renewal was refused", '到 A 的续期被拒绝，用时（毫秒）'],
  ['ms until the first Sentinel named the new primary', '到第一个哨兵指向新的主节点，用时（毫秒）'],
  ['ms until the cluster served the slot again', '到集群恢复这个槽的服务，用时（毫秒）'],
  ['scripts that the new primary did not have', '新的主节点缺少的脚本数'],
  ['ms until the old primary refused writes', '到旧的主节点拒绝写入，用时（毫秒）'],
  ['writes that it accepted until then', '在此之前接受的写入数'],
  ['writes that the old primary acknowledged', '旧的主节点确认过的写入数'],
  ['of them lost when it was demoted', '其中降级时丢失的写入数'],
  ['tokens of A and B', 'A 和 B 的令牌'],
  ['tokens lost', '丢失的令牌数'],
  ['buyers refused until the counter had caught up', '计数追上之前被拒绝的买家数'],
  ['changes since the last snapshot', '上次快照之后的修改数'],
  ['written, not fsynced, bytes', '已写入、还没有 fsync 的字节数'],
  ['clock ahead, s', '时钟快多少（秒）'],
  ["A's first failed command", 'A 的第一条失败的命令'],
  ['none before its end', '到 A 结束都没有'],
  ["A's first failed command, ms after the lease's end", 'A 的第一条命令失败，在租期结束之后（毫秒）'],
  ["B gets the lock, ms after the lease's end", 'B 拿到锁，在租期结束之后（毫秒）'],
  ["B's COMMIT, ms after the lease's end", 'B 的 COMMIT，在租期结束之后（毫秒）'],
  ["end of A's work, ms after the lease's end", 'A 的业务结束，在租期结束之后（毫秒）'],
  ['no outcome', '没有结果'],
  ['ms for which the lock stays held after A gave up', 'A 放弃之后，锁仍被持有的时间（毫秒）'],
  ['ms until the lock was free', '到锁空闲，用时（毫秒）'],
  ['fence of A', 'A 的栅栏令牌'],
  ['fence of B', 'B 的栅栏令牌'],
  ['none', '无'],
  ['fences of A, B, C', 'A、B、C 的栅栏令牌'],
  ['ms until a change was possible on any connection', '到任一连接可以写入，用时（毫秒）'],
  ["ms until a change was possible on a connection like B's", '到 B 那样的连接可以写入，用时（毫秒）'],
  ['ms until B received its error', '到 B 收到错误，用时（毫秒）'],

  // events and outcomes
  ['network', '网络'],
  ['killed', '被杀死'],
  ['stopped', '被暂停'],
  ['paused', '被暂停'],
  ['its process was killed', '它的进程被杀死'],
  ['two of three servers are killed', '三台服务器中的两台被杀死'],
  ['elected by the cluster', '被集群选为主节点'],
  ['started as a replica of the new primary', '启动，成为新的主节点的从节点'],
  ['demoted: it is a replica of the new primary', '降级，成为新的主节点的从节点'],
  ['the connection between A and Redis fails', 'A 与 Redis 之间的连接出故障'],
  ['all replies of Redis to A are lost from now on', '从现在起，Redis 给 A 的应答全部丢失'],
]);

/** Texts with varying parts. A part that is itself a text of the drills is translated. */
const PATTERNS: readonly (readonly [RegExp, string])[] = [
  // facts
  [/^(\S+) is a primary$/, '$1 是主节点'],
  [/^the primary has (\d+) of its (\d+) replicas?$/, '主节点有 $2 个从节点，还连着 $1 个'],
  [/^A holds the lock, and (\S+) has it$/, 'A 持有锁，锁在 $1 上'],
  [/^(.+) are all in slot (\S+)$/, '$1 都在槽 $2'],
  [/^the tokens up to (\d+) were assigned twice$/, '到 $1 为止的令牌都发了两次'],
  [
    /^the clock of (\S+) was correct and jumped past the end of the lease$/,
    '$1 的时钟原先是准的，然后跳到租期结束之后',
  ],
  [/^(\S+) was killed, and another process answers$/, '$1 被杀死，现在应答的是另一个进程'],
  [/^the outcome of A is (\S+)$/, 'A 的结果是 $1'],
  [
    /^the server that is about to fail is the (leader|follower), according to itself$/,
    '即将出故障的服务器自称 $1',
  ],
  [/^the (leader|follower) is (killed|stopped)$/, '$1 $2'],
  [/^the drill ran to its end \((.+)\)$/s, '演练运行到最后（$1）'],
  // figures
  [/^A receives (.+), ms after the lease's end$/, 'A 得到 $1，在租期结束之后（毫秒）'],
  // events and outcomes
  [/^fact: (.+)$/s, '前提：$1'],
  [/^NOT TRUE: (.+)$/s, '前提不成立：$1'],
  [/^held before (.+)$/s, '停在这一步之前：$1'],
  [/^held after (.+)$/s, '停在这一步之后：$1'],
  [/^warns: (.+)$/s, '警告：$1'],
  [/^sold one: (\S+) → (\S+)$/, '卖出一件：$1 → $2'],
  [/^reports the primary (\S+) since epoch (\S+)$/, '报告主节点是 $1，从配置纪元 $2 起'],
  [/^promoted: (\S+)$/, '被提升：$1'],
  [/^restarted as process (\S+)$/, '重启，进程号 $1'],
  [/^its file is truncated to (\S+) bytes?$/, '文件截断到 $1 字节'],
  [/^its clock is set from (\S+) s to (\S+) s ahead of this machine's$/, '时钟从比本机快 $1 秒拨到快 $2 秒'],
  [/^([A-Z][A-Z._]+): (.+)$/s, '$1：$2'],
];

/** A text of a drill in Chinese; undefined: it is not translated. */
export function drillInChinese(english: string): string | undefined {
  const whole = WORDS.get(english) ?? ofPattern(english);
  if (whole !== undefined) return whole;
  const parts = english.split('; ').map((part) => WORDS.get(part));
  return parts.every((part) => part !== undefined) ? parts.join('；') : undefined;
}

function ofPattern(english: string): string | undefined {
  for (const [pattern, chinese] of PATTERNS) {
    const match = pattern.exec(english);
    if (match === null) continue;
    return chinese.replace(/\$(\d)/g, (_, n: string) => {
      const part = match[Number(n)] ?? '';
      return drillInChinese(part) ?? part;
    });
  }
  return undefined;
}
