//! Plots, as SVG text.

use std::error::Error;

use plotters::prelude::*;

use super::record::Record;
use super::table::Timeline;
use crate::shape::Shape;

const WIDTH: u32 = 1000;
const ROW: u32 = 22;
/// Room for names on the left.
const NAMES: u32 = 230;
/// The axis is longer than the figures, so that the legend hides none of them.
const LEGEND: f64 = 1.25;
const FONT: (&str, u32) = ("sans-serif", 13);

/// Ratios of kernels, one row each, one mark for each shape; the whisker is what the intervals
/// allow.
///
/// # Errors
/// Where the plot cannot be drawn.
pub(super) fn ratios(
    title: &str,
    records: &[&Record],
    shapes: &[Shape],
) -> Result<String, Box<dyn Error>> {
    let mut kernels: Vec<&str> = records
        .iter()
        .map(|record| record.cell.kernel.as_str())
        .collect();
    kernels.dedup();
    let ratios = records.iter().filter_map(|record| record.ratio);
    // Whiskers of a noisy machine may leave the plot; figures do not.
    let most = LEGEND * ratios.fold(1.2, f64::max);
    draw(
        title,
        "p3 / ours: above 1, ours is faster",
        &kernels,
        0.0..most,
        |chart| {
            let one = vec![(1.0, 0.0), (1.0, kernels.len() as f64)];
            chart.draw_series([PathElement::new(one, BLACK)])?;
            for (index, shape) in shapes.iter().enumerate() {
                let color = color(index);
                // Side by side within the row.
                let offset = (index as f64 + 1.0) / (shapes.len() as f64 + 1.0);
                let mut marks = Vec::new();
                for record in records.iter().filter(|record| record.cell.shape == *shape) {
                    let row = kernels
                        .iter()
                        .position(|kernel| *kernel == record.cell.kernel);
                    if let (Some(row), Some(ratio), Some((low, high))) =
                        (row, record.ratio, whisker(record))
                    {
                        let y = (kernels.len() - row) as f64 - offset;
                        marks.push((ratio, low, high, y));
                    }
                }
                let lines = marks.iter().map(|(_, low, high, y)| {
                    PathElement::new(vec![(*low, *y), (high.min(most), *y)], color)
                });
                chart.draw_series(lines)?;
                let dots = marks
                    .iter()
                    .map(|(x, .., y)| Circle::new((*x, *y), 3, color.filled()));
                chart
                    .draw_series(dots)?
                    .label(shape.to_string())
                    .legend(move |(x, y)| Circle::new((x + 10, y), 4, color.filled()));
            }
            Ok(())
        },
    )
}

/// The phases of kernels and of the peer, end to end, and a mark where the whole ends.
///
/// # Errors
/// Where the plot cannot be drawn.
pub(super) fn phases(
    title: &str,
    timelines: &[(&Record, [Timeline; 2])],
) -> Result<String, Box<dyn Error>> {
    let mut rows = Vec::new();
    for (record, [ours, peer]) in timelines {
        rows.push((record.short().to_owned(), ours));
        rows.push((format!("p3, beside {}", record.short()), peer));
    }
    let names: Vec<&str> = rows.iter().map(|(name, _)| name.as_str()).collect();
    let ends = rows
        .iter()
        .map(|(_, line)| line.phases.iter().sum::<f64>().max(line.natural));
    let most = LEGEND * ends.fold(1.0, f64::max);
    draw(title, "ns per permutation", &names, 0.0..most, |chart| {
        for (index, phase) in Shape::PHASES.into_iter().enumerate() {
            let color = color(index);
            let bars = rows.iter().enumerate().map(|(row, (_, line))| {
                let start: f64 = line.phases[..index].iter().sum();
                let top = (rows.len() - row) as f64;
                let corners = [
                    (start, top - 0.15),
                    (start + line.phases[index], top - 0.85),
                ];
                Rectangle::new(corners, color.mix(0.7).filled())
            });
            chart
                .draw_series(bars)?
                .label(phase.to_string())
                .legend(move |(x, y)| {
                    Rectangle::new([(x, y - 5), (x + 20, y + 5)], color.mix(0.7).filled())
                });
        }
        let marks = rows.iter().enumerate().map(|(row, (_, line))| {
            let top = (rows.len() - row) as f64;
            let ends = vec![(line.natural, top), (line.natural, top - 1.0)];
            PathElement::new(ends, BLACK.stroke_width(2))
        });
        chart
            .draw_series(marks)?
            .label("natural")
            .legend(|(x, y)| PathElement::new(vec![(x + 10, y - 5), (x + 10, y + 5)], BLACK));
        Ok(())
    })
}

/// What the intervals of both sides allow the ratio to be.
fn whisker(record: &Record) -> Option<(f64, f64)> {
    let ([fast, slow], [peer_fast, peer_slow]) = (record.ours_interval?, record.peer_interval?);
    Some((peer_fast / slow, peer_slow / fast))
}

fn color(index: usize) -> RGBColor {
    const COLORS: [RGBColor; 5] = [
        RGBColor(31, 119, 180),
        RGBColor(255, 127, 14),
        RGBColor(44, 160, 44),
        RGBColor(148, 103, 189),
        RGBColor(140, 86, 75),
    ];
    COLORS[index % COLORS.len()]
}

type Chart<'a, 'b> = ChartContext<
    'a,
    SVGBackend<'b>,
    Cartesian2d<plotters::coord::types::RangedCoordf64, plotters::coord::types::RangedCoordf64>,
>;

/// A chart of named rows, the first one on top.
fn draw(
    title: &str,
    axis: &str,
    names: &[&str],
    range: std::ops::Range<f64>,
    content: impl FnOnce(&mut Chart<'_, '_>) -> Result<(), Box<dyn Error>>,
) -> Result<String, Box<dyn Error>> {
    let mut svg = String::new();
    {
        let rows = names.len() as u32;
        let area = SVGBackend::with_string(&mut svg, (WIDTH, 110 + ROW * rows)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, ("sans-serif", 18))
            .margin(10)
            .x_label_area_size(40)
            .y_label_area_size(NAMES)
            .build_cartesian_2d(range, 0.0..f64::from(rows))?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .disable_y_axis()
            .y_labels(0)
            .light_line_style(WHITE)
            .x_desc(axis)
            .label_style(FONT)
            .draw()?;
        let left = chart.plotting_area().get_x_axis_pixel_range().start;
        let pixels = chart.plotting_area().get_y_axis_pixel_range();
        let height = f64::from(pixels.end - pixels.start) / f64::from(rows.max(1));
        for (row, name) in names.iter().enumerate() {
            let y = pixels.start + (height * (row as f64 + 0.5)) as i32 - 6;
            let place = (left - NAMES as i32 + 5, y);
            area.draw(&Text::new(*name, place, FONT))?;
        }
        content(&mut chart)?;
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.8))
            .border_style(BLACK)
            .label_font(FONT)
            .draw()?;
        area.present()?;
    }
    Ok(svg)
}
