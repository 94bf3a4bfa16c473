/** The sentences of a strategy: how it works, its defect, and why the next one is better. */
interface Sentences {
  readonly mechanism: string;
  readonly defect: string;
  readonly why: string;
}

/** By the name of the strategy. test/console/catalogue.spec.ts finds what is missing. */
export const STRATEGIES_IN_CHINESE: Readonly<Record<string, Sentences>> = {
  none: {
    mechanism: '读库存，检查，写入新值，不加任何锁。',
    defect: '两个买家读到同一个值，又都写入这个值减一：丢失一次更新，库存超卖。',
    why: '挡住同一进程里的其他请求。',
  },
  'local-mutex': {
    mechanism: '进程内存里的互斥锁（npm async-mutex），包住读、检查和写。',
    defect: '其他实例看不见这把锁：一个实例时一件不差，两个实例就超卖。',
    why: '把锁放到服务器上，每个实例都看得见。',
  },
  directory: {
    mechanism: 'mkdir 加锁：文件系统只让一个调用成功。rmdir 解锁。',
    defect:
      '只在一台主机上有效：两台机器或两个容器里的实例有两个文件系统。持有者被杀死后，它的目录永远不会被删除。',
    why: '把锁放到每台主机都看得见的地方：Redis。',
  },
  'get-set': {
    mechanism: 'GET 这个 key；不存在就用请求 id 执行 SET。DEL 解锁。',
    defect:
      '检查和加锁是两条命令：两个买家都看到没有 key，都执行 SET，都进入临界区。先做完的一个删掉另一个的锁。',
    why: '用一条命令检查并加锁。',
  },
  setnx: {
    mechanism: 'SETNX 只让一个调用者创建 key。finally 里用 DEL 解锁。',
    defect: 'key 没有过期时间：持有者被杀死，或它的 DEL 失败，其他请求就永远被挡住。',
    why: '给 key 设过期时间。',
  },
  'setnx-catch': {
    mechanism: 'SETNX 只让一个调用者创建 key。DEL 写在 catch 里，而不是 finally 里。',
    defect: '成功的售卖从不解锁：卖出一件之后，其他买家都白等。',
    why: '在 finally 里解锁。',
  },
  'setnx-expire': {
    mechanism: 'SETNX，成功之后再执行 PEXPIRE。finally 里用 DEL 删除 key。',
    defect:
      '在两条命令之间被杀死的持有者会留下一个没有过期时间的 key，其他请求永远被挡住。若 Redis 在两条命令之间重启，PEXPIRE 会给别人的锁续期。',
    why: '把两条命令放进一个脚本；expiring 只需要一条命令。',
  },
  'setnx-expire-all': {
    mechanism: 'SETNX，然后不管结果如何都执行 PEXPIRE。finally 里用 DEL 删除 key。',
    defect:
      '每次失败的尝试都给持有者的锁续期：只要等待者在一个租期里不止试一次，已死持有者的锁，或解锁失败的锁，就永不结束。另一方面，setnx-expire 留下的没有过期时间的 key，会被下一次尝试修好。',
    why: '只让持有者设过期时间。',
  },
  lua: {
    mechanism:
      '一个 Lua 脚本执行 SETNX 和 PEXPIRE，另一个脚本比较后删除。用 EVALSHA 调用，遇到 NOSCRIPT 就重新加载。',
    defect: '与 token-lua 一样：业务超过租期就会有两个持有者，并且超卖。',
    why: '用 SET NX PX 加锁（Redis 2.6.12 起就有）；只有解锁需要脚本。',
  },
  'unlock-unacquired': {
    mechanism: 'SET NX PX 和 DEL，加锁写在 try 里面：没有拿到锁，finally 也会解锁。',
    defect: '放弃等待的请求删掉持有者的锁，下一个买家就进来了。',
    why: '在 try 之前加锁。',
  },
  expiring: {
    mechanism: 'SET NX PX 用一条命令创建 key 并设过期时间。DEL 解锁。',
    defect: '业务超过租期，第二个持有者就进来了。随后第一个删掉第二个的锁，第三个又进来。',
    why: '在 key 里存唯一的 token，删除之前先核对。',
  },
  'token-checked': {
    mechanism: 'SET NX PX，值是唯一的 token。解锁：GET，比较，DEL。',
    defect: 'GET 和 DEL 是两条命令：租期若在两者之间结束，DEL 会删掉下一个持有者的锁。',
    why: '用一个原子的脚本比较并删除。',
  },
  'token-by-reference': {
    mechanism: 'SET NX PX，值是唯一的 token。解锁：GET，按引用比较两个对象，DEL。',
    defect: 'Redis 的应答总是另一个对象：锁从不释放，每次都要等到整个租期结束。',
    why: '比较内容。',
  },
  'token-lua': {
    mechanism: 'SET NX PX，值是唯一的 token。解锁：用一个 Lua 脚本比较并删除。',
    defect: '不会再误删别人的锁，但业务超过租期仍会有两个持有者，并且超卖。',
    why: '在业务进行时续期。',
  },
  'watchdog-naive': {
    mechanism:
      '与 token-lua 一样，另有一个定时器：读 key 的剩余时间，快到期时用 PEXPIRE 续期。成功解锁才停止定时器。',
    defect:
      '定时器不核对 key 的持有者，而且只有成功解锁才会停止：失锁或解锁失败之后，只要进程还在，它就给别人的锁续期。',
    why: '用脚本核对持有者再续期，并且总会停止。',
  },
  'watchdog-shared-flag': {
    mechanism:
      '与 token-lua 一样，另有一个定时器：只要进程的静态标志还在，每过三分之一租期，就在剩余时间上加半个租期。',
    defect:
      '一把锁解锁，本进程其他锁的续期也都停止。每次续期加的时间比过去的时间多，于是已死持有者的锁，或解锁失败的锁，持续得越来越久。也不核对持有者。',
    why: '每把锁一个定时器，每次从现在起续一个租期。',
  },
  watchdog: {
    mechanism:
      '与 token-lua 一样，另有一个定时器：token 还相符时，每过三分之一租期续期一次。本地的截止时间可以察觉失锁。',
    defect:
      '进程停顿时，看门狗也停顿：检查截止时间之后才发出的语句，在下一个持有者进入之后才到达。一把锁最多续十个租期：更久的业务会失锁，并且什么也卖不出。',
    why: '让数据库拒绝过期的写入。',
  },
  'rollback-on-loss': {
    mechanism: '与 token-lua 一样，业务放在数据库事务里：key 里还是自己的 token 才提交。',
    defect:
      '租期可能在这次检查与 COMMIT 之间结束：下一个持有者读到旧的行。这很少见，但任何 COMMIT 之前的检查都排除不了它。',
    why: '让数据行拒绝已失锁的持有者。',
  },
  'reentrant-thread': {
    mechanism: '一个哈希 {持有者: 计数}，由 Lua 脚本更新。持有者是主机、进程和线程，与基于线程的语言一样。',
    defect:
      '在 Node.js 里，一个实例的所有请求都在同一个线程：两个买家是同一个持有者，第二个“重入”，两个都持锁；最后一次解锁把另一个的也释放了。',
    why: '每个请求是一个持有者。',
  },
  reentrant: {
    mechanism:
      '一个哈希 {持有者: 计数}，由 Lua 脚本更新，每个请求是一个持有者。售卖加锁，嵌套的调用再次加锁，最后一次解锁才删除。',
    defect:
      '嵌套的调用可以进行，而普通的锁会等自己。业务超过租期就什么也卖不出：嵌套的调用和本地的截止时间都能察觉失锁。检查截止时间之后的停顿，或很慢的语句，仍会有两个写者。',
    why: '让数据库拒绝过期的写入。',
  },
  fair: {
    mechanism: '等待者在 Redis 里排队。解锁时把锁交给第一个活着的等待者，并且只通知它。',
    defect:
      '先到先得，每个等待者两条命令。已死的等待者，或停顿了一个租期的等待者，会失去位置。由于本地的截止时间，业务超过租期就什么也卖不出；检查截止时间之后的停顿，或很慢的语句，仍会有两个写者。',
    why: '让数据库拒绝过期的写入。',
  },
  'read-write': {
    mechanism:
      '同时有多个读者，或只有一个写者：读者的集合和写者的名字，由 Lua 脚本更新。等待的写者会挡住新的读者，所以不会饿死。',
    defect:
      '想写的读者会等自己，所以直接报错拒绝。放弃等待的写者留下标记，新的读者最多一个租期都被拒绝。业务超过租期会有两个写者，并且超卖。',
    why: '业务超过租期也有保护。',
  },
  'multi-unsorted': {
    mechanism: '一个购物车给每种商品加一把锁，按购物车里的顺序；等下一把时仍然持有前面的。',
    defect:
      '顺序相反的两个购物车会死锁：各自持有对方等的锁，直到 waitMs 用完或租期结束。若租期先结束，两个都继续并且超卖，因为等待者不会再核对第一把锁是否还是自己的。',
    why: '按排好的顺序加锁，等待之前先释放已持有的。',
  },
  multi: {
    mechanism:
      '一个购物车给每种商品加一把锁，按排好的顺序。没有拿到全部，就释放已拿到的：等待者不持有锁，所有租期同时开始。',
    defect: '没有死锁，但业务超过租期会有两个持有者，并且超卖。购物车里每种商品都要一次往返。',
    why: '一个 Lua 脚本一次拿全部的 key 或一个也不拿，就不需要顺序，前提是所有 key 在同一台服务器上。for-update 在数据库里给各行加锁。',
  },
  replicated: {
    mechanism:
      '在主节点上加 token-lua 的锁，再用 WAIT 等所有从节点都有这把锁。只要有一个没有及时确认，就释放锁。',
    defect:
      '不等所有从节点确认，落后的从节点就可能成为主节点，于是有两个持有者。等了确认，锁能经受主从切换，但经受不了从节点清空重启。一个停顿的从节点会挡住所有买家。WAIT 阻塞共享的连接，后面的命令可能超时：买家已得到 503，它的 SET 之后才执行，这把锁要留到租期结束。还多一次往返；业务超过租期仍会有两个持有者。',
    why: '使用互相独立、没有复制的服务器。',
  },
  redlock: {
    mechanism:
      'npm redlock 4.2：在 N 台独立的 Redis 上各自用唯一的值执行 SET。多数服务器及时同意就算拿到锁：租期要减去已用的时间和时钟漂移。',
    defect:
      '少数服务器宕机不影响：五台中的两台，三台中的一台。服务器重启后数据丢失、服务器时钟跳变、持有者在临界区里停顿，都会有两个持有者：没有栅栏令牌拒绝它的写入。',
    why: '让数据库拒绝过期的写入，而且只需要一台 Redis。',
  },
  'multi-server': {
    mechanism:
      '在 N 台独立的 Redis 上依次加 token-lua 的锁，要么全部拿到，要么一把不留。遇到第一次拒绝，就释放已拿到的锁。',
    defect:
      '一台服务器也不能坏：只要一台宕机，就没有买家能买。服务器重启后数据丢失没有害处；业务超过租期会超卖。',
    why: '只需要多数服务器。',
  },
  'redlock-beta': {
    mechanism: 'npm redlock 5.0.0-beta.2 原样：多数服务器一同意，就算拿到锁。',
    defect:
      '不检查加锁用了多久：在 acquire 里停顿之后，返回的是已经过期的锁。服务器是偶数台且两边相等时会卡住。其余与 redlock 一样。',
    why: '（4.2）返回锁之前检查剩余的有效时间。',
  },
  'segmented-naive': {
    mechanism: '库存分成几行，每行一把锁。请求 id 的哈希选出其中一行，请求只在这一行买。',
    defect: '没有一件卖两次，但件数不够的分段会拒绝它的买家，而其他分段还有库存：少卖。',
    why: '也去试其他分段。',
  },
  segmented: {
    mechanism:
      '第一个请求把库存分成几行，每行一把锁，买家不必都等同一把锁。请求 id 的哈希选出先试的一行；那一行正忙或件数不够，就试其他行；没有一行够，就从几行里凑。',
    defect:
      '租期内一件不差，直到最后一件。业务超过租期，一个分段会有两个持有者，与 token-lua 一样。下次重置之前库存一直分段：从单行售卖的方案会被拒绝（STOCK.SPLIT）。',
    why: '把分段放在 Redis 里；每行用 conditional-update 就不需要锁。',
  },
  'segmented-redis': {
    mechanism:
      '库存预先放进 Redis 的几个计数，每个一把锁。请求 id 的哈希选出先试的一个，其余与 segmented 一样。之后才更新数据库，用数据库自己的 WHERE stock >= n。',
    defect:
      '实例在扣计数与写数据行之间崩溃，扣掉的件数没有买家得到：少卖，直到下一次对账（POST /lab/inventory/reconcile）。在一次写入失败之前到来的买家会得到“售罄”，虽然件数之后会退回。Redis 在补货时清空重启，计数里可能缺少补的件数，直到下一次对账。',
    why: '不需要锁：一个 Lua 脚本一步完成检查和扣减。',
  },
  'redis-decr': {
    mechanism:
      '不加锁：一个 Lua 脚本检查并扣减 Redis 里的计数，并记下哪个操作扣了多少。之后才更新数据库，用数据库自己的 WHERE stock >= n。',
    defect:
      '实例在两步之间崩溃，扣掉的件数没有买家得到：少卖，直到下一次对账（POST /lab/inventory/reconcile）。它的操作一直留在列表里，直到商品重置，因为它的写入仍可能到达。在一次写入失败之前到来的买家会得到“售罄”，虽然这一件之后会退回。Redis 在补货时清空重启，计数里可能缺少补的件数，直到下一次对账。没有 WHERE 条件，写入在途时退回的件数或重新加载的计数就会造成超卖。',
    why: '单独用就一件不差；计数只是减轻数据库的压力。',
  },
  zookeeper: {
    mechanism: '每个客户端创建一个临时顺序节点。序号最小的持有锁；其他的各自只监听前一个节点。',
    defect:
      '先到先得，没有惊群，也不用选租期；进程的会话结束，锁就释放。停顿得比会话还久，仍会有两个持有者：写入没有栅栏，虽然节点的 czxid（创建它的事务 id）可以当令牌。',
    why: '让数据行拒绝较早的持有者；它的令牌可以是 czxid。',
  },
  'zookeeper-herd': {
    mechanism: '创建出那个唯一的临时节点的客户端持有锁；其他的都监听这个节点。',
    defect:
      '停顿时与 zookeeper 一样。另外，每次解锁都唤醒全部 N 个等待者：试 N 次，只有一个成功，没有先后顺序。N 个等待者要 N × N 次调用。',
    why: '只唤醒一个等待者：各自监听前一个节点。',
  },
  etcd: {
    mechanism: '每个请求有一个租约和一个挂在租约上的 key。最早的 key 持有锁；其他的各自只监听前一个 key。',
    defect:
      '先到先得，没有惊群。定时器无限续期，所以卡住的业务会挡住所有人；本地的截止时间可以察觉失锁。停顿得比租期还久，仍会有两个持有者：写入没有栅栏，虽然 key 的 revision 可以当令牌。',
    why: '让数据行拒绝较早的持有者；它的令牌可以是 revision。',
  },
  'redis-and-table': {
    mechanism: 'token-lua 的 Redis 锁，加上持有者表里的一行。持有者两样都要有，解锁时两样都释放。',
    defect:
      '租期结束得太早，或 Redis 清空重启，也一件不差，因为那一行仍然挡住其他请求。但持有者被杀死后，它的行永远留着，租期也帮不上忙。',
    why: '就是其中真正挡住其他请求的那一部分。',
  },
  'mysql-lock-table': {
    mechanism: '一张锁表：主键只让一个 INSERT 成功。DELETE … WHERE owner = 自己，用来解锁。',
    defect: '行没有租期：持有者被杀死后，它的行永远留着，挡住所有请求。',
    why: '让行可以过期。',
  },
  'mysql-lock-table-ttl': {
    mechanism:
      '与 mysql-lock-table 一样，每行有过期时间。发现锁被占用的客户端删除已过期的行（DELETE … WHERE expires_at <= NOW()），再试一次。',
    defect: '已死的持有者最多挡住一个租期。但业务超过租期会有两个持有者，并且超卖。',
    why: '不需要租期：持有者的连接一断，服务器就释放锁。',
  },
  'mysql-named-lock': {
    mechanism: '事务外面包着 GET_LOCK 和 RELEASE_LOCK，都在同一个连接上。',
    defect:
      '一件不差，连接一断就释放。停顿的持有者一直持有锁。在连接池的另一个连接上做的业务不受保护，而且锁只存在于一台服务器。每个等待者占用一个连接：等待者多了，会用完本实例的连接池，挡住它的其他请求。',
    why: '直接锁行，不需要名字。',
  },
  'for-update-late': {
    mechanism: '一个事务先读、检查、干活，最后才用 SELECT … FOR UPDATE 锁行并写入。',
    defect: '新值在锁行之前就算好了：两个买家读到同一个值，锁只是让他们的写入排队。',
    why: '先锁行，并且使用加锁读到的值。',
  },
  'for-update': {
    mechanism: '一个事务：SELECT … FOR UPDATE 锁行并读取；然后检查、写入、COMMIT。',
    defect: '正确。买家在数据库里等待，每个占用一个连接。购物车若不按排好的顺序锁行，会死锁。',
    why: '不加锁，写入时比较版本号。',
  },
  optimistic: {
    mechanism: '不加锁，也不等待：UPDATE … WHERE version =（读到的版本）。没有行匹配，就开新事务重试。',
    defect: '正确，前提是每个写者都让版本号加一。次数用完时买家得到冲突，虽然还有库存。',
    why: '比较库存本身，不需要重试。',
  },
  'conditional-update': {
    mechanism: 'UPDATE … SET stock = stock - n WHERE stock >= n：数据库用一条语句检查并写入。',
    defect: '正确，前提是规则写得进一个 WHERE 条件。',
    why: '写不进一条语句的规则，也有保护。',
  },
  'fenced-write': {
    mechanism: '锁发出递增的栅栏令牌。写入带 WHERE fence < 令牌，并把令牌存进数据行。',
    defect:
      '新的持有者写入之后，过期的写入才会被拒绝。若它落在新持有者的读与写之间，会被接受，随后又被覆盖。若 Redis 的主从切换丢了两个令牌，计数会从旧主的令牌之下重新开始，旧主的写入就被当作较新的接受。',
    why: '在读之前先把令牌登记到数据行。',
  },
  fenced: {
    mechanism:
      '锁发出递增的栅栏令牌。持有者在读之前把令牌登记到数据行，写入带 WHERE fence = 令牌 AND holder = 自己。',
    defect:
      '正确：两个持有者确实会出现，数据行拒绝较早的一个。若计数落后于数据行（Redis 清空重启，或主从切换丢了最后的令牌），所有持有者都被拒绝，直到计数追上。',
    why: '规则写得进一个 WHERE 条件时，不需要锁。',
  },
  'unlock-before-commit': {
    mechanism: '事务包着锁：加锁，读，检查，写，解锁，然后才 COMMIT。',
    defect: '在解锁与 COMMIT 之间，下一个持有者读到旧的行，它的写入覆盖新的值。不需要任何故障。',
    why: '在锁里面开事务，先提交再解锁。',
  },
  'snapshot-before-lock': {
    mechanism: '事务在加 Redis 锁之前开始：先 SELECT 一次，售罄就不必加锁。COMMIT 之后才解锁。',
    defect:
      '在 REPEATABLE READ 下，第一个 SELECT 就定下了快照：持锁时读到的是等待之前的库存。不需要任何故障。',
    why: '在锁里面开事务。',
  },
  'for-update-plain-read': {
    mechanism:
      '一个事务：先 SELECT 一次，售罄就不必加锁；SELECT id … FOR UPDATE 锁行；再用普通的 SELECT 读库存，检查并写入。',
    defect:
      '在 REPEATABLE READ 下，普通的 SELECT 读的是事务里第一个普通 SELECT 的快照，不管之后等行锁等了多久。',
    why: '使用加锁读到的值。',
  },
  'single-writer': {
    mechanism:
      '不锁库存：订单在 Redis 的 stream 里排队。等待的客户端中有一个持有租约，它按顺序执行所有变动，并逐个应答。',
    defect:
      '同时有两个写者也正确：每个订单只裁定一次，靠的是与变动同一事务的一行。吞吐量就是一个写者的吞吐量。已崩溃的买家的订单仍会执行。',
    why: '让 Redis 自己成为计数的唯一写者。',
  },
};
