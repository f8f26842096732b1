import type { ComponentProps } from 'react'
import { ErrorState } from './error-state.tsx'
import { SkeletonRows } from './skeleton.tsx'

type Props = ComponentProps<typeof SkeletonRows> & { error: unknown; onRetry: () => unknown }

/** In place of data: a skeleton until it arrives, or the error. */
export const NotLoaded = ({ error, onRetry, ...skeleton }: Props) =>
  error ? <ErrorState error={error} onRetry={() => void onRetry()} /> : <SkeletonRows {...skeleton} />
