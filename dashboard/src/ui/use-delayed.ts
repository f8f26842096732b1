import { useEffect, useState } from 'react'

const DELAY_MS = 200

/** The value, once the person stops changing it. */
export const useDelayed = <T>(value: T): T => {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), DELAY_MS)
    return () => clearTimeout(timer)
  }, [value])
  return delayed
}
