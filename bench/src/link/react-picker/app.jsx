import { useEffect, useState } from 'react'
import { Picker } from './picker.jsx'

export function App() {
  const [session, setSession] = useState(null)
  useEffect(() => {
    void fetch('/session.json')
      .then(response => response.json())
      .then(setSession)
  }, [])
  if (!session) return <div className="card" />
  return (
    <div className="card">
      <header>
        <p className="organization">
          <span className="tile own" aria-hidden="true">
            {session.organization[0]}
          </span>
          <bdi>{session.organization}</bdi>
        </p>
        <button type="button" className="square out" aria-label="Cancel">
          ×
        </button>
      </header>
      <main>
        <Picker session={session} />
      </main>
      <footer>
        <span className="maker">Carabiner</span>
      </footer>
    </div>
  )
}
