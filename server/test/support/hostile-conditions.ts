/** Conditions with arguments that are made to take as long as possible. All of them use up their steps. */
export type HostileCondition = { name: string; source: string; args: Record<string, unknown> }

export const numbers = (length: number): number[] => Array.from({ length }, (_, index) => index)
export const longText = 'a'.repeat(1_000_000)

const doubled = (range: string): string => `[${range}]${'.map(x, x + x)'.repeat(30)}.size() == 1`

export const hostileConditions = (): HostileCondition[] => [
  {
    name: 'a pattern that backtracks',
    source: 'args.s.matches("(a+)+$")',
    args: { s: `${longText}b` },
  },
  {
    name: 'a large pattern',
    source: 'args.s.matches("(?i)(\\\\p{L}{30}){30}z")',
    args: { s: longText },
  },
  {
    name: 'a pattern whose matches cannot begin',
    source: 'args.l.all(x, !args.s.matches("z"))',
    args: { s: longText, l: numbers(1000) },
  },
  {
    name: 'nested macros',
    source: 'args.l.all(a, args.l.all(b, args.l.all(c, a + b + c >= 0.0)))',
    args: { l: numbers(1000) },
  },
  {
    name: 'a long list',
    source: 'args.l.all(x, x >= 0.0)',
    args: { l: numbers(60_000) },
  },
  {
    name: 'lists of lists',
    source: 'args.l.map(a, args.l.map(b, args.l)).size() > 0',
    args: { l: numbers(1000) },
  },
  { name: 'doubled texts', source: doubled('args.s'), args: { s: 'abc' } },
  { name: 'doubled lists', source: doubled('args.l'), args: { l: [1] } },
  {
    name: 'a long text in a long text',
    source: 'args.s.contains(args.t)',
    args: { s: longText, t: `b${longText.slice(0, 500_000)}` },
  },
  {
    name: 'large values compared',
    source: 'args.a == args.b',
    args: { a: numbers(60_000), b: numbers(60_000) },
  },
  {
    name: 'every item in a list',
    source: 'args.l.all(x, x in args.l)',
    args: { l: numbers(5000) },
  },
  {
    name: 'a wide map',
    source: 'args.l.all(x, args.m.size() > 1)',
    args: { l: numbers(1000), m: Object.fromEntries(numbers(29_000).map(index => [`key${index}`, index])) },
  },
  {
    name: 'texts read for each item',
    source: 'args.l.all(x, args.s.size() > 1)',
    args: { l: numbers(1000), s: longText.slice(0, 9000) },
  },
  {
    name: 'texts changed for each item',
    source: 'args.l.all(x, args.s.lowerAscii() != "")',
    args: { l: numbers(1000), s: 'aA'.repeat(1000) },
  },
  {
    name: 'times in a time zone',
    source: 'args.l.all(x, now.getHours("Asia/Tokyo") > 0)',
    args: { l: numbers(1000) },
  },
  {
    name: 'parsed texts',
    source: 'args.l.all(x, double(args.s) > 1.0)',
    args: { l: numbers(1500), s: '1.5' },
  },
]
