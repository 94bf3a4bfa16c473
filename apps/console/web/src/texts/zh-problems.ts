import type { ProblemText } from './en';

type Entry = readonly [title: string, detail: string | ((english: string) => string)];

/** An English sentence of the server that names a part of the input follows the Chinese one. */
const withDetail =
  (chinese: string) =>
  (english: string): string =>
    `${chinese}：${english}`;

/** By code; a code with several causes also by code and cause. */
const PROBLEMS: Readonly<Record<string, Entry>> = {
  'ACCESS.REFUSED': ['未能加入', '课堂码不对、名字已被占用，或课堂已满：请问老师。'],
  'ACCESS.REFUSED wrong-code': ['未能加入', '课堂码不对：请输入老师展示的课堂码。'],
  'ACCESS.REFUSED no-name': ['未能加入', '名字里没有文字：请换一个。'],
  'ACCESS.REFUSED name-taken': ['未能加入', '这个名字已被占用：请换一个，或请老师移除原来的。'],
  'ACCESS.REFUSED class-full': ['未能加入', '课堂已满：请问老师。'],
  'ACCESS.REFUSED too-many-tries': ['未能加入', '输错课堂码的次数太多：请等一分钟再试。'],
  'ACCESS.JOIN': ['尚未加入课堂', '请先用老师展示的课堂码加入。'],
  'ACCESS.HOST': ['主机名不对', '控制台不接受这个主机名：请用老师展示的地址打开。'],
  'ACCESS.ORIGIN': ['来源不对', '其他网页不能使用这个控制台。'],
  'ACCESS.TEACHER_ONLY': ['仅限老师', '只有老师可以这样做。'],
  'ACCESS.TEACHER_ONLY fault': ['仅限老师', '故障会影响大家共用的实例：请让老师来运行。'],
  'ACCESS.TEACHER_ONLY seconds': ['仅限老师', '全班都在等：学生的穷举最多 60 秒。'],
  'ACCESS.TEACHER_ONLY cancel': ['仅限老师', '只有发起者和老师可以取消这个任务。'],
  'ACCESS.TEACHER_ONLY remove': ['仅限老师', '只有老师可以移除学生。'],
  'JOB.TOO_MANY': ['等待的任务太多', '等待的任务太多：请取消一个，或稍后再试。'],
  'JOB.TOO_MANY own': ['等待的任务太多', '你已有两个任务在等待：请取消一个，或等其中一个开始。'],
  'JOB.UNKNOWN': ['没有这个任务', '控制台重启过，或已不记得这个任务。'],
  'EXPLORE.TOKEN': ['调度无法解析', '地址中的调度无法解析：请检查链接是否完整。'],
  'EXPLORE.NO_LONGER': ['调度无法重放', '其中一个选择现在做不到：方案的代码改过，或者链接有误。'],
  'EXPLORE.NOT_ENABLED': ['现在不可能', '这个选择现在不可能：请从控制台列出的选择中挑选。'],
  'EXPLORE.FAULTS': ['故障写法有误', withDetail('故障的写法有误')],
  'FAULT.SYNTAX': ['故障写法有误', withDetail('故障的写法有误')],
  'FAULT.UNSUPPORTED': ['故障不会触发', withDetail('这个故障在这里不会触发')],
  'LAB.STOPPED': ['实验环境没有运行', '请执行 "npm start" 启动实验环境，页面会自动继续。'],
  'COMPONENT.MISSING': ['缺少服务器', withDetail('实验环境启动时没有这个服务器')],
  'DEPENDENCY.DOWN': ['服务器不可用', withDetail('有一台服务器不可用，请稍后再试')],
  'STRATEGY.UNKNOWN': ['没有这个方案', '没有这个名字的方案：请从方案目录中选择。'],
  'SCENARIO.UNKNOWN': ['没有这个场景', '没有这个名字的一键场景。'],
  'REQUEST.INVALID': ['请求无效', withDetail('输入有误')],
  'REQUEST.NOT_FOUND': ['找不到', withDetail('服务器上没有')],
  // of jobs that failed
  TARGET: ['实验环境没有应答', withDetail('实验环境没有应答，或应答出错')],
  'RUN.ENDED': ['压测中断', '这次压测的进程意外结束：请重新开始。'],
  'STACK.STOPPED': ['实验环境已停止', '实验环境已停止：请执行 "npm start" 启动，再重新开始。'],
  'STACK.UNREACHABLE': [
    '连不上实验环境',
    '实验环境没有应答，它正在停止，或已被杀死：请执行 "npm start" 启动，再重新开始。',
  ],
  'STACK.NOT_READY': ['没有就绪', withDetail('有一个进程没有就绪，请查看它的日志')],
  'STACK.SERVER_DOWN': ['服务器宕机', withDetail('有一台服务器宕机')],
  'STACK.START_FAILED': ['启动失败', withDetail('有一个进程启动失败，请查看它的日志')],
  'STACK.PROGRAM_MISSING': ['缺少程序', withDetail('这台机器上缺少一个程序')],
  OVERLOADED: ['请求过多', '同时到来的请求太多：请稍后再试。'],
  INTERNAL: ['内部错误', withDetail('控制台内部出错')],
};

/** Says in Chinese why a request was refused. The detail of a code that is not listed stays English. */
export function problemInChinese(
  { code = '', detail }: ProblemText,
  reason: string | undefined,
): ProblemText {
  const found = PROBLEMS[`${code} ${reason ?? ''}`] ?? PROBLEMS[code];
  if (found === undefined) return { title: '', detail };
  const [title, chinese] = found;
  return { title, detail: typeof chinese === 'string' ? chinese : chinese(detail) };
}
