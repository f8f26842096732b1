import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatReport } from './exposition.ts'
import { addHistogram } from './histogram.ts'
import { addCounter, addGauge, createMetrics } from './metrics.ts'

const description = (name: string) => ({ name, help: 'Help.' })

test('metrics: the Prometheus client formats counters, gauges and histograms', async () => {
  const metrics = createMetrics()
  const counter = addCounter(metrics, description('calls_total'))
  const counted = counter.cell({ outcome: 'success' })
  counter.cell({ outcome: 'error' })
  counted.value += 2
  addGauge(metrics, { ...description('waiting'), read: () => [{ labels: { pool: 'a"b' }, value: 3 }] })
  const histogram = addHistogram(metrics, description('duration_seconds'))
  const cell = histogram.cell({ step: 'rules' })
  histogram.cell({ step: 'unused' })
  for (const milliseconds of [0.5, 0.6, 40, 60_000]) cell.observe(milliseconds)

  const text = await formatReport(metrics.read())
  assert.match(text, /# TYPE calls_total counter\ncalls_total\{outcome="success"\} 2\n\n/)
  assert.match(text, /# TYPE waiting gauge\nwaiting\{pool="a\\"b"\} 3\n/)
  assert.match(text, /# TYPE duration_seconds histogram/)
  const buckets = [...text.matchAll(/duration_seconds_bucket\{le="([^"]+)",step="rules"\} (\d+)/g)]
  assert.deepEqual(
    buckets.map(([, bound, count]) => `${bound}:${count}`),
    '0.0005:1 0.001:2 0.0025:2 0.005:2 0.01:2 0.025:2 0.05:3 0.1:3 0.25:3 0.5:3 1:3 2.5:3 5:3 10:3 30:3 +Inf:4'.split(
      ' ',
    ),
  )
  assert.match(text, /duration_seconds_count\{step="rules"\} 4/)
  assert.match(text, /duration_seconds_sum\{step="rules"\} 60\.0411/)
  assert.doesNotMatch(text, /unused|outcome="error"/)
})

test('metrics: a counter without labels is exported before it is incremented', () => {
  const metrics = createMetrics()
  addCounter(metrics, description('restarts_total')).cell()
  assert.deepEqual(metrics.read()[0]?.values, [{ labels: {}, value: 0 }])
})
