import { table } from '../table.ts'
import { ratioOf, type SealBench } from './run-seal-bench.ts'
import type { Subject } from './subjects.ts'

/** Speed of sealing relative to the cipher alone; CPU microseconds to decrypt a 2 KB credential with all its keys. */
export const AIMS = { sealToCipher: 0.5, openMicroseconds: 100 }

const REFERENCES: Partial<Record<Subject, Subject>> = {
  seal: 'AES-GCM, seal',
  open: 'AES-GCM, open',
  'open, with all keys': 'AES-GCM, open',
}

const timeTable = (result: SealBench): string =>
  table([
    ['2 KB', 'CPU µs', 'rounds', 'ratio to cipher'],
    ...(Object.entries(result.measured) as [Subject, SealBench['measured'][Subject]][]).map(
      ([subject, { median, rounds }]) => {
        const reference = REFERENCES[subject]
        return [
          subject,
          median.toFixed(1),
          `${Math.min(...rounds).toFixed(1)}–${Math.max(...rounds).toFixed(1)}`,
          reference ? `${ratioOf(result, subject, reference).toFixed(2)}×` : '',
        ]
      },
    ),
  ])

export const sealReport = (result: SealBench): string => {
  const sealing = ratioOf(result, 'seal', 'AES-GCM, seal')
  const opening = result.measured['open, with all keys'].median
  return [
    `medians of ${result.rounds} rounds, interleaved`,
    timeTable(result),
    table([
      ['aim', 'value', 'target', ''],
      [
        'seal, ratio to cipher',
        `${sealing.toFixed(2)}×`,
        `≥ ${AIMS.sealToCipher}×`,
        sealing >= AIMS.sealToCipher ? 'met' : 'missed',
      ],
      [
        'open, with all keys',
        `${opening.toFixed(0)} µs`,
        `≤ ${AIMS.openMicroseconds} µs`,
        opening <= AIMS.openMicroseconds ? 'met' : 'missed',
      ],
    ]),
  ].join('\n\n')
}
