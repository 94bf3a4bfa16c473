/** What a job does now: the words of the server, and the same in Chinese. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/^(\d+) of ([\d,]+) answers?$/, '$2 个应答中已有 $1 个'],
  [/^reading the rows and the history$/, '正在读取数据库的行和历史记录'],
  [/^waiting for the requests that were sent$/, '正在等待已发出的请求'],
  [/^waiting for the other load on this lab, of process (\d+)$/, '正在等待本实验环境的另一次压测（进程 $1）'],
  [/^sending one buyer with the fault$/, '先发出一个带故障的买家'],
  [/^searching$/, '正在搜索'],
  [/^shortening the schedule$/, '正在缩短调度'],
  [/^counting all orders of steps$/, '正在统计所有步骤顺序'],
  [/^(\w+) does not return after its start$/, '$1 开始之后没有返回'],
  [/^(\w+) does not return after "(.+)"$/, '$1 在 "$2" 之后没有返回'],
];

/** Says the progress of a job in Chinese. What it does not know stays as it is. */
export function progressInChinese(text: string): string {
  const found = PHRASES.find(([pattern]) => pattern.test(text));
  return found === undefined ? text : text.replace(...found);
}
