import { type RefObject, useLayoutEffect, useRef, useState } from 'react'

type FixedColumns = {
  table: RefObject<HTMLTableElement | null>
  /** CSS widths of the columns, or null while the content determines them. */
  widths: readonly string[] | null
}

/**
 * Keeps the column widths of a table that its first rows have determined, until the window is resized. With automatic widths, every
 * row that is scrolled into view makes the browser lay out all cells again, and may move the columns.
 */
export const useFixedColumns = (isOn: boolean): FixedColumns => {
  const table = useRef<HTMLTableElement>(null)
  const [widths, setWidths] = useState<readonly string[] | null>(null)
  useLayoutEffect(() => {
    if (!isOn || widths || !table.current) return
    const cells = [...(table.current.tHead?.rows[0]?.cells ?? [])]
    // Columns that are left out on phones have no width, and no column in the layout.
    setWidths(cells.flatMap(({ offsetWidth }) => (offsetWidth > 0 ? [`${offsetWidth}px`] : [])))
  }, [isOn, widths])
  useLayoutEffect(() => {
    const release = () => setWidths(null)
    window.addEventListener('resize', release)
    return () => window.removeEventListener('resize', release)
  }, [])
  return { table, widths: isOn ? widths : null }
}
