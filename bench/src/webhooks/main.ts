import { parseArgs } from 'node:util'
import { median } from '../figures.ts'
import { table } from '../table.ts'
import { runWebhookBench, SUBJECTS, type WebhookSample, type WebhookSubject } from './run-webhook-bench.ts'

/** `npm run bench:webhooks`: deliveries of one worker process, next to a loop of requests with the same bodies. */
const { values } = parseArgs({
  options: {
    events: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const samples = await runWebhookBench(
  { events: Number(values.events), rounds: Number(values.rounds), profile: values.profile },
  line => void process.stderr.write(`${line}\n`),
)
const of = (subject: WebhookSubject) => samples.filter(sample => sample.subject === subject)
const medianOf = (subject: WebhookSubject, figure: (sample: WebhookSample) => number) =>
  median(of(subject).map(figure))
const rate = ({ perSecond }: WebhookSample) => perSecond
const referenceOf = (subject: WebhookSubject) => subject.replace('worker', 'bare POST') as WebhookSubject
const rows = SUBJECTS.map(subject => {
  const cpu = medianOf(subject, ({ cost }) => cost?.service ?? 0)
  const isReference = subject === referenceOf(subject)
  const referenceCpu = medianOf(referenceOf(subject), ({ cost }) => cost?.service ?? 0)
  return [
    subject,
    medianOf(subject, rate).toFixed(0),
    isReference ? '' : (medianOf(subject, rate) / medianOf(referenceOf(subject), rate)).toFixed(2),
    cpu.toFixed(1),
    isReference ? '' : `${(cpu / referenceCpu).toFixed(1)}×`,
    isReference ? '' : medianOf(subject, ({ cost }) => cost?.database ?? 0).toFixed(1),
  ]
})
process.stdout.write(
  `${table([['per event', 'events/s', 'ratio', 'CPU µs', 'ratio', 'PostgreSQL µs'], ...rows])}\n`,
)
process.exit(0)
