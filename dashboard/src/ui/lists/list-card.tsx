import type { ComponentProps, ReactNode } from 'react'
import type { List } from '../../api/use-list.ts'
import { Card } from '../card.tsx'
import { ErrorState } from '../states/error-state.tsx'
import { SkeletonRows } from '../states/skeleton.tsx'
import { MoreRows } from './more-rows.tsx'
import { Table } from './table.tsx'

type Props<Row> = Omit<ComponentProps<typeof Table<Row>>, 'rows' | 'firstIndex' | 'onMissing'> & {
  list: List<Row>
  /** For the time until the first rows arrive. */
  loading: ComponentProps<typeof SkeletonRows>
  /** Shown if the list has no rows. */
  empty: ReactNode
}

/** A list of the API in all of its states. */
export const ListCard = <Row,>({ list, loading, empty, ...table }: Props<Row>) => (
  <Card isFlush>
    {list.isPending ? (
      <SkeletonRows {...loading} />
    ) : list.error ? (
      <ErrorState error={list.error} onRetry={list.reload} />
    ) : list.rows.length === 0 ? (
      empty
    ) : (
      <>
        <Table {...table} rows={list.rows} firstIndex={list.firstIndex} onMissing={list.loadIndex} />
        <MoreRows list={list} />
      </>
    )}
  </Card>
)
