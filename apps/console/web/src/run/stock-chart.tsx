import { useEffect, useRef, type ReactNode } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Sample } from '../api/types';
import { useTexts } from '../texts';

const HEIGHT = 270;

const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Two lines that coincide in a correct run: what is left, and the initial stock minus what was sold. */
export function StockChart({ initial, samples }: { initial: number; samples: readonly Sample[] }): ReactNode {
  const t = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  useEffect(() => {
    const { current: parent } = box;
    if (parent === null) return;
    const made = new uPlot(
      {
        width: parent.clientWidth,
        height: HEIGHT,
        cursor: { show: false },
        legend: { show: false },
        scales: {
          x: { time: false },
          y: { range: (_, least, most) => [Math.min(0, least) * 1.05, Math.max(initial, most) * 1.05] },
        },
        axes: [axis((value) => `${value} s`), axis(String)],
        series: [
          {},
          { stroke: () => color('--a'), width: 5, points: { show: false } },
          {
            stroke: () => color('--wrong'),
            width: 3,
            dash: [9, 6],
            points: { show: false },
          },
        ],
      },
      dataOf(initial, samples),
      parent,
    );
    chart.current = made;
    const observer = new ResizeObserver(() => {
      made.setSize({ width: parent.clientWidth, height: HEIGHT });
    });
    observer.observe(parent);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [initial]);
  useEffect(() => {
    chart.current?.setData(dataOf(initial, samples));
  }, [initial, samples]);
  return (
    <figure className="chart">
      <figcaption>
        <span className="key key-left">{t.run.stockLeft}</span>
        <span className="key key-sold">{t.run.initialMinusSold}</span>
        <small>{t.run.chartHint}</small>
      </figcaption>
      <div ref={box} aria-hidden="true" />
    </figure>
  );
}

function axis(text: (value: number) => string): uPlot.Axis {
  return {
    stroke: () => color('--muted'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { stroke: () => color('--line') },
    font: '14px system-ui',
    values: (_, values) => values.map(text),
  };
}

const dataOf = (initial: number, samples: readonly Sample[]): uPlot.AlignedData => [
  [0, ...samples.map(({ atMs }) => atMs / 1000)],
  [initial, ...samples.map(({ stock }) => stock)],
  [initial, ...samples.map(({ sold }) => initial - sold)],
];
